"""Writes src/text/skeleton_table.rs: what characters outside ASCII look like, or are equal to, in ASCII,
and their lower case.

    python3 core/tables/skeleton.py

Two sources: Unicode compatibility decomposition (NFKC, without its marks, lower case) and the look-alikes listed here.
"""

import pathlib
import unicodedata

TARGET = pathlib.Path(__file__).resolve().parent.parent / "src" / "text" / "skeleton_table.rs"

# ASCII letter or mark, then what is drawn like it in common fonts.
LOOKALIKES = """
a аɑαΑА⍺ᴀ𐊠Ꭺ
b вВЬьƄΒβᏏᏴᗷʙɓ
c сСϲϹⅽᴄⲥᏟ
d ԁᏧᗞɗɖԀᎠⅆđĐᴅ
e еЕёЁєЄҽΕεεɛℯᎬᴇеҼⴹ
f ƒϜᖴꞙꜰ
g ɡցԌɢᏀᶃ
h һНнΗհᏂᎻʜҺհ
i іІїЇιΙıɩӏᎥɪⅰ
j јЈϳյᎫᴊ
k кКκΚҝᏦᴋⲕ
l ӀǀⅼᏞʟɫłŁ∣ⵏו
m мМΜⅿᎷᴍ
n пηΝոռɴпᏁ
o оОοΟօՕσⲟᴏ๐໐௦०০ഠჿøØ
p рРρΡᏢϱᴘ
q ԛգզⵕ
r гᴦⲅʀᏒⱤꭇ
s ѕЅՏꜱᏚƽ
t тТτΤᎢᴛ
u υսնᴜΥցʋμ
v ѵѴνᴠᏙⅴ∨٧ν
w ԝԜωшᎳᴡѡաɯ
x хХχΧ×ⅹ᙮
y уУүҮγΥʏᎽყ
z ᴢΖᏃʐ
0 ߀
1 ۱
3 ЗзӠƷʒ
- ‐‑‒–—―−⁃﹘➖ー─━
' ‘’‚‛′‵ʹʼ`´ꞌ՚
" “”„‟″‶〝〞
< ‹❮〈⟨
> ›❯〉⟩▶►
[ 【〔〖⟦❲⁅
] 】〕〗⟧❳⁆
( ❨❪
) ❩❫
# ♯
| │┃❘ǁ¦
* ∗⁎✱∙•·●
/ ⁄∕╱
: ː׃∶꞉
. ․。
, ‚،
_ ‗
~ ∼˜
"""

SKIPPED = {*range(0x3300, 0x3400), *range(0x2100, 0x2102), *range(0xFDF0, 0xFE00)}


def compatible(code):
    char = chr(code)
    if unicodedata.category(char) in ("Cs", "Co", "Cn", "Cc", "Zs", "Zl", "Zp", "Cf") or code in SKIPPED:
        return None
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char))
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold()
    return text if text.isascii() and text.strip() and "\\" not in text else None


def folds():
    table = {}
    for code in [*range(0x80, 0x3400), *range(0xA640, 0xAC00), *range(0xF900, 0x10000), *range(0x1D400, 0x1D800), *range(0x1F100, 0x1F1AA)]:
        text = compatible(code)
        if text is not None:
            table[code] = text
    for line in LOOKALIKES.split("\n"):
        if line:
            ascii_char, _, alike = line.partition(" ")
            for char in alike:
                if not char.isascii():
                    table[ord(char)] = ascii_char
    return table


def lower():
    """Runs of characters with a lower case: first, last, whether every second one, and what is to be added."""
    runs = []
    for code in range(0x80, 0x110000):
        small = chr(code).lower()
        if len(small) != 1 or small == chr(code):
            continue
        add = ord(small) - code
        if runs:
            first, last, second, known = runs[-1]
            step = code - last
            if add == known and step in (1, 2) and (first == last or second == (step == 2)):
                runs[-1] = (first, code, step == 2, add)
                continue
        runs.append((code, code, False, add))
    return runs


def packed(rows):
    """A line for each row: how far its character is from that of the row before, in hexadecimal, and its text."""
    lines, last = [], 0
    for code, text in rows:
        lines.append(f"{code - last:x} {text}\n")
        last = code
    return 'r##"' + "".join(lines) + '"##'


def main():
    table = folds()
    single = {code: text for code, text in table.items() if len(text) == 1}
    several = {code: text for code, text in table.items() if len(text) > 1}
    runs, codes = [], sorted(single)
    for code in codes:
        if runs and code - (runs[-1][0] + len(runs[-1][1])) < 10:
            start, text = runs[-1]
            runs[-1] = (start, text + " " * (code - start - len(text)) + single[code])
        else:
            runs.append((code, single[code]))
    lines = [
        "//! Written by `tables/skeleton.py`; do not edit.",
        "",
        "/// Runs of characters that fold to one ASCII character each; a space where one does not fold. A line is how far the first",
        "/// is from that of the line before, in hexadecimal, and what they fold to.",
        f"pub(super) const RUNS: &str = {packed(runs)};",
        "",
        "/// Characters that fold to several, in the same form.",
        f"pub(super) const SEVERAL: &str = {packed(sorted(several.items()))};",
        "",
        "/// Runs of characters with a lower case: first, last, whether every second one, and what is to be added.",
        "pub(super) const LOWER: &[(u32, u32, bool, i32)] = &[",
        *(f"    (0x{first:x}, 0x{last:x}, {str(second).lower()}, {add})," for first, last, second, add in lower()),
        "];",
        "",
    ]
    TARGET.write_text("\n".join(lines), encoding="utf-8")
    print(len(single), "single,", len(several), "several,", len(packed(runs)) + len(packed(sorted(several.items()))), "bytes")


if __name__ == "__main__":
    main()
