"""The verdict of an assertion and why: right, explained, absent or wrong."""

RIGHT, EXPLAINED, ABSENT, WRONG = "right", "explained", "absent", "wrong"


def right(holds, why=""):
    return (RIGHT, "") if holds else (WRONG, why)


def explained(holds, why):
    return (EXPLAINED, why) if holds else (WRONG, why)


def worst(found):
    order = [RIGHT, EXPLAINED, ABSENT, WRONG]
    place = max((order.index(verdict) for verdict, _ in found), default=0)
    return order[place], "; ".join(why for verdict, why in found if order.index(verdict) == place and why)
