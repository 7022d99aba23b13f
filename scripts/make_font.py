#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes src/draw/font_table.c: the letters of movie frames, DejaVu Sans painted once at SIZE pixels, 16 shades a pixel.

Needed only when letters are added (python3-pil, fonts-dejavu-core). usage: make_font.py [FONT.ttf] >src/draw/font_table.c
"""
import sys

from PIL import Image, ImageDraw, ImageFont

SIZE, LINE = 24, 29
LETTERS = "".join(map(chr, range(32, 127))) + "−·×°µαβγδεθλμνπρστφχψωΓΔΘΩ"
font = ImageFont.truetype(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", SIZE)

print("""// SPDX-License-Identifier: MIT
// clang-format off
/// Made by scripts/make_font.py from DejaVu Sans (Bitstream Vera, (c) Bitstream 2003, and changes in
/// the public domain; the licence allows to embed it). A letter is CAROM_FONT_LINE rows of
/// hexadecimal digits, from 0 (paper) to f (ink).
#include "draw/font.h"

const carom_glyph CAROM_FONT[] = {""")
for letter in LETTERS:
    advance = round(font.getlength(letter))
    image = Image.new("L", (max(1, advance), LINE), 0)
    ImageDraw.Draw(image).text((0, 0), letter, font=font, fill=255)
    pixels = list(image.getdata())
    text = "".join("0123456789abcdef"[round(p / 17)] for p in pixels).rstrip("0")
    print(f"  {{0x{ord(letter):x}, {max(1, advance)},")
    lines = [text[k : k + 110] for k in range(0, len(text), 110)] or [""]
    print("\n".join(f'   "{line}"' for line in lines) + "},")
print("};\nconst int CAROM_FONT_COUNT = sizeof CAROM_FONT / sizeof *CAROM_FONT;")
