"""What Larkfield sells: the part of the catalogue that no seed changes."""

from __future__ import annotations

from dataclasses import dataclass

CATEGORIES = {
    "lighting": "Lighting",
    "kitchen": "Kitchen",
    "textiles": "Textiles",
    "desk": "Desk",
    "garden": "Garden",
    "storage": "Storage",
}


@dataclass(frozen=True)
class Good:
    """One product; ``price`` in cents is where the seed's price starts from, ``shape`` names its picture."""

    name: str
    category: str
    material: str
    price: int
    shape: str
    options: tuple[str, ...]
    line: str


def _goods(category: str, *rows: tuple[str, str, int, str, str, str]) -> list[Good]:
    return [Good(n, category, m, p, s, tuple(o.split("/")), line) for n, m, p, s, o, line in rows]


GOODS: list[Good] = [
    *_goods(
        "lighting",
        ("Fennel desk lamp", "Metal", 6400, "desklamp", "Brass/Graphite/White", "A jointed arm, a warm cone of light."),
        ("Vesper table lamp", "Glass", 5400, "tablelamp", "Amber/Smoke/Opal", "Mouth-blown glass, dimmed by touch."),
        ("Arden floor lamp", "Wood", 12900, "floorlamp", "Oak/Walnut", "Three turned legs and a linen shade."),
        ("Pip night light", "Plastic", 1900, "nightlight", "White/Sky blue/Coral", "Small, round, gentle at night."),
        ("Kestrel pendant", "Metal", 8900, "pendant", "Graphite/Sage green/Brick", "A spun dome for above the table."),
        ("Glow string lights", "Plastic", 2200, "stringlights", "10 metres/20 metres", "Warm dots for the balcony."),
        ("Tallow LED bulb, pack of 3", "Glass", 1500, "bulb", "E14/E27", "Filament look, 470 lumen each."),
        ("Lowe reading light", "Metal", 3600, "cliplight", "Black/White", "Clips to a shelf, bends where you like."),
    ),
    *_goods(
        "kitchen",
        ("Halden stovetop kettle", "Steel", 5200, "kettle", "Sage green/Cream/Graphite", "Two litres, a soft whistle."),
        ("Orrin tumblers, single", "Glass", 700, "tumbler", "Clear/Smoke/Amber", "Pressed glass that stacks."),
        ("Maren stoneware mug", "Stoneware", 1400, "mug", "Oat/Sky blue/Brick", "Heavy foot, thin lip, 300 ml."),
        ("Maren stoneware bowl", "Stoneware", 1800, "bowl", "Oat/Sky blue/Brick", "For soup, porridge and salad."),
        ("Brew teapot", "Stoneware", 3900, "teapot", "Oat/Graphite", "With a steel strainer, one litre."),
        ("Solveig frying pan", "Iron", 4800, "pan", "24 cm/28 cm", "Seasoned iron, gets better with years."),
        ("Birk chopping board", "Wood", 2900, "board", "Oak/Walnut", "End grain, with a groove for juice."),
        ("Quill kitchen knife", "Steel", 4400, "knife", "16 cm/20 cm", "Thin blade, ash handle."),
    ),
    *_goods(
        "textiles",
        ("Skerry wool blanket", "Wool", 8900, "blanket", "Oat/Sage green/Brick", "Spun and woven from one flock."),
        ("Fjell wool blanket", "Wool", 7900, "blanket", "Graphite/Cream", "Herringbone, brushed on one side."),
        ("Lamb wool throw", "Wool", 6900, "blanket", "Cream/Sky blue", "Light, soft, with short fringes."),
        ("Hearth wool plaid", "Wool", 9900, "blanket", "Brick/Graphite", "Large enough for two."),
        ("Cloud cotton blanket", "Cotton", 4900, "blanket", "White/Sky blue/Coral", "Waffle weave for warm nights."),
        ("Tarn linen napkins, pair", "Linen", 2400, "napkins", "Oat/Sage green/Brick", "Washed linen, mitred corners."),
        ("Mossy cushion", "Linen", 3400, "cushion", "Sage green/Oat/Brick", "45 by 45 cm, filled with kapok."),
        ("Dune bath towel", "Cotton", 2700, "towel", "White/Sky blue/Graphite", "600 grams, long loops."),
    ),
    *_goods(
        "desk",
        ("Ledger notebook", "Paper", 1200, "notebook", "Lined/Squared/Plain", "192 pages that lie flat."),
        ("Tern fountain pen", "Metal", 3800, "pen", "Black/Brass/Coral", "Steel nib, medium, converter included."),
        ("Sorrel desk organiser", "Wood", 3300, "organiser", "Oak/Walnut", "Four places for what lies about."),
        ("Noon desk clock", "Metal", 4200, "clock", "White/Graphite/Brick", "Silent, with a large face."),
        ("Folio paper tray", "Wood", 2600, "tray", "Oak/Walnut", "A4, two can be stacked."),
        ("Peg pen pot", "Stoneware", 1500, "penpot", "Oat/Graphite", "Unglazed outside, glazed within."),
        ("Margin desk mat", "Felt", 3100, "mat", "Graphite/Oat", "80 by 40 cm of wool felt."),
        ("Atlas book ends, pair", "Metal", 2800, "bookends", "Black/Brass", "Two folded sheets, quite heavy."),
    ),
    *_goods(
        "garden",
        ("Alma plant pot", "Terracotta", 1600, "plantpot", "14 cm/18 cm/22 cm", "Breathes, ages, comes with a saucer."),
        ("Heron watering can", "Steel", 3200, "wateringcan", "Sage green/Graphite", "A long spout for small pots."),
        ("Root hand trowel", "Steel", 1700, "trowel", "Ash/Beech", "Forged in one piece."),
        ("Thicket secateurs", "Steel", 3900, "secateurs", "Medium/Large", "Bypass blades that can be replaced."),
        ("Ember garden lantern", "Metal", 2900, "lantern", "Black/Brick", "For candles up to 20 cm."),
        ("Seedling tray, set of 2", "Plastic", 1300, "seedtray", "12 cells/24 cells", "With lids, for many years."),
        ("Wren nesting box", "Wood", 2500, "nestbox", "28 mm/32 mm", "Larch, opens at the side."),
        ("Twine on a spool", "Jute", 900, "twine", "Natural/Green", "100 metres and a cutter."),
    ),
    *_goods(
        "storage",
        ("Hatch seagrass basket", "Seagrass", 3500, "basket", "Small/Medium/Large", "Woven by hand, with two grips."),
        ("Stow lidded box", "Wood", 2800, "box", "Oak/Walnut", "Finger joints and a sliding lid."),
        ("Row of hooks", "Wood", 2300, "hooks", "Oak/Black", "Five pegs on a rail."),
        ("Nook wall shelf", "Wood", 4700, "shelf", "60 cm/90 cm", "Fixings hidden, carries 15 kg."),
        ("Jar with cork lid", "Glass", 1100, "jar", "0.5 litre/1 litre/2 litres", "For flour, beans and biscuits."),
        ("Pouch, set of 3", "Cotton", 1800, "pouch", "Oat/Graphite", "For cables and other small things."),
        ("Crate on wheels", "Wood", 5600, "crate", "Natural/Black", "Rolls under the bed."),
        ("Tin with a hinge", "Steel", 1400, "tin", "Cream/Brick/Sky blue", "For tea, buttons or letters."),
    ),
]

COLOURS = {
    "Brass": "#c39a4a",
    "Graphite": "#4a4f57",
    "White": "#e9e6df",
    "Amber": "#d08a34",
    "Smoke": "#868a93",
    "Opal": "#dfe4e2",
    "Oak": "#c9a06a",
    "Walnut": "#7d5638",
    "Sky blue": "#86aec6",
    "Coral": "#dd8369",
    "Sage green": "#8ca287",
    "Brick": "#a9573f",
    "Black": "#34363b",
    "Cream": "#e4d9bf",
    "Clear": "#bcd3d6",
    "Oat": "#d3c2a2",
    "Natural": "#cdb083",
    "Green": "#6f8f63",
    "Ash": "#d8c39c",
    "Beech": "#c8966b",
    "Terracotta": "#bd6f4c",
    "Seagrass": "#b79f6b",
    "Steel": "#9aa3a9",
    "Iron": "#43454a",
    "Wood": "#bb8f5c",
    "Paper": "#b4654a",
    "Glass": "#a9c6c4",
    "Plastic": "#7f9aa8",
    "Felt": "#6c7078",
    "Jute": "#c4a56d",
    "Metal": "#8d9198",
    "Cotton": "#e2ddd2",
}
