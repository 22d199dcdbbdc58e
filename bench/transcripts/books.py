"""The invented books of the settlements story: merchants, batches whose totals add up, and what stands in them."""

# Tables, laid out by hand.
# ruff: noqa: E501
# fmt: off

PSP = ("Norvik", "Paylane", "Harbor Acquiring")
MERCHANTS = {
    "MX-1042": "Corvane Travel",
    "MX-1077": "Bellweather Books",
    "MX-1103": "Thistle & Rye Bakery",
    "MX-1160": "Oakhurst Cycles",
    "MX-1188": "Pellam Optics",
    "MX-1215": "Quillan Garden Centre",
    "MX-1239": "Sable Street Records",
    "MX-1301": "Wren Valley Camping",
}


def money(pence):
    return f"{pence / 100:,.2f}"


class Month:
    """The invented books: batches with totals that add up, and the transactions in them."""

    def __init__(self, chat):
        self.chat, self.rng = chat, chat.rng
        self.closed, self.resent = [], 0

    def batch(self, day, merchant, gap, month="03"):
        rng, count = self.rng, self.rng.randint(96, 612)
        gross = rng.randint(1_900_000, 9_800_000)
        fee = gross * 29 // 2000 + count * 4
        refunds = rng.randint(12_000, 160_000)
        net = gross - fee - refunds
        return {
            "id": f"STL-2026-{month}{day:02d}-{rng.randint(11, 98)}", "day": f"2026-{month}-{day:02d}", "merchant": merchant,
            "psp": rng.choice(PSP), "count": count, "gross": gross, "fee": fee, "refunds": refunds, "net": net, "gap": gap,
        }

    def header(self, b):
        return {
            "batch_id": b["id"], "merchant_id": b["merchant"], "settlement_date": b["day"], "processor": b["psp"],
            "transactions": b["count"], "currency": "GBP", "gross": money(b["gross"]), "fees": money(b["fee"]),
            "refunds": money(b["refunds"]), "net": money(b["net"]), "file": f"{b['psp'].split()[0].lower()}_{b['id'].lower()}.csv",
            "status": "DIFFERENCE" if b["gap"] else "MATCHED", "ledger_net": money(b["net"] - b["gap"]),
        }

    def rows(self, b, n, kinds=("sale", "sale", "sale", "sale", "refund")):
        rng, out = self.rng, ["tx_id,captured_at,kind,amount,last4,auth,ledger_ref"]
        hour, minute = rng.randint(7, 11), 0
        for _ in range(n):
            minute += rng.randint(1, 47)
            kind = rng.choice(kinds)
            amount = rng.randint(450, 38_000) * (-1 if kind == "refund" else 1)
            ref = f"LG{rng.randint(4_100_000, 4_999_999)}"
            out.append(
                f"T{rng.randint(10**8, 10**9 - 1)},{b['day']}T{(hour + minute // 60) % 24:02d}:{minute % 60:02d}:{rng.randint(0, 59):02d}Z,"
                f"{kind},{money(amount).replace(',', '')},{rng.randint(1000, 9999)},{rng.randint(100000, 999999)},{ref}"
            )
        return "\n".join(out)

    def fee_lines(self, n):
        """Lines where the two ways of rounding differ: the exact fee ends in half a penny."""
        out = ["tx_id,amount,fee_exact,fee_processor,fee_ledger,delta"]
        for _ in range(n):
            whole = self.rng.randrange(6, 540, 2)
            amount = (whole * 100 + 50 - 400) * 10_000 // 145 // 100
            out.append(f"T{self.rng.randint(10**8, 10**9 - 1)},{money(max(amount, 31))},{whole / 100:.2f}5,{(whole + 1) / 100:.2f},{whole / 100:.2f},0.01")
        return "\n".join(out)

    def hours(self, b):
        """Captures per hour of the day, as the warehouse prints them."""
        total = [self.rng.randint(0, 9) if h < 7 else self.rng.randint(8, 46) for h in range(24)]
        return "hour | captures | sum\n-----+----------+-----------\n" + "\n".join(f"{h:02d}   | {k:>8} | {money(k * self.rng.randint(3_100, 7_400)):>10}" for h, k in enumerate(total))

    def bank(self, b, reference):
        """The bank statement of the day around the payout."""
        hit, rows = self.rng.randrange(6), ["booked      value       reference        text                                  amount"]
        for i in range(6):
            ref = reference if i == hit else f"BACS{self.rng.randint(10**7, 10**8 - 1)}"
            text = f"{b['psp'].upper()} {b['merchant']}" if i == hit else f"{self.rng.choice(PSP).upper()} {self.rng.choice(tuple(MERCHANTS))}"
            amount = b["net"] if i == hit else self.rng.randint(900_000, 9_000_000)
            rows.append(f"{b['day']}  {b['day']}  {ref:<15}  {text:<36}  {money(amount):>10} CR")
        return "\n".join(rows)

    def open(self, b, lead):
        """Reads the batch and the processor's report side by side."""
        c, name = self.chat, MERCHANTS[b["merchant"]]
        report = {
            "report": f"{b['psp'].upper()} SETTLEMENT ADVICE", "merchant": name, "value_date": b["day"], "items": b["count"],
            "paid_out": money(b["net"]), "reserve_held": money(b["gross"] // 200), "advice_no": f"ADV{self.rng.randint(300000, 399999)}",
            "reserve_release_due": f"2026-09-{int(b['day'][-2:]):02d}", "bank_ref": f"BACS{self.rng.randint(10**7, 10**8 - 1)}",
        }
        c.call(
            lead,
            ("get_batch", {"batch_id": b["id"]}, self.header(b)),
            ("get_processor_report", {"batch_id": b["id"], "processor": b["psp"]}, report),
            ("get_bank_lines", {"account": "40-18-77 client money", "date": b["day"], "around": money(b["net"])}, self.bank(b, report["bank_ref"])),
        )

    def note(self, b, text, lead=None):
        self.closed.append(b["id"])
        self.chat.call(
            lead,
            ("write_note", {"batch_id": b["id"], "text": text}, {"ok": True, "note_id": f"RN-{self.rng.randint(20000, 29999)}", "batch_id": b["id"]}),
        )
