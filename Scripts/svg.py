"""Drawings as SVG: boxes, arrows, text and curves, readable on light and on dark pages."""

from html import escape

# Each class with its light and its dark colours.
COLOURS = {
    "page": ("fill:#ffffff", "fill:#0d1117"),
    "ink": ("fill:#1f2328", "fill:#e6edf3"),
    "quiet": ("fill:#59636e", "fill:#9198a1"),
    "accent": ("fill:#0550ae", "fill:#79c0ff"),
    "box": ("fill:#f6f8fa;stroke:#8c959f", "fill:#161b22;stroke:#6e7681"),
    "marked": ("fill:#ddf4ff;stroke:#0969da", "fill:#0c2d6b;stroke:#58a6ff"),
    "secret": ("fill:#fff8c5;stroke:#9a6700", "fill:#3b2300;stroke:#d29922"),
    "line": ("stroke:#8c959f;fill:none", "stroke:#6e7681;fill:none"),
    "first": ("stroke:#0969da;fill:none", "stroke:#58a6ff;fill:none"),
    "second": ("stroke:#9a6700;fill:none", "stroke:#d29922;fill:none"),
    "head": ("fill:#8c959f", "fill:#6e7681"),
    "firstbar": ("fill:#0969da", "fill:#58a6ff"),
    "secondbar": ("fill:#9a6700", "fill:#d29922"),
}


def styles():
    light = "".join(f".{name}{{{colours[0]}}}" for name, colours in COLOURS.items())
    dark = "".join(f".{name}{{{colours[1]}}}" for name, colours in COLOURS.items())
    return (
        "text{font:14px system-ui,sans-serif}.small{font-size:12px}.bold{font-weight:600}"
        ".code{font-family:ui-monospace,monospace;font-size:13px;white-space:pre}"
        ".thick{stroke-width:2}" + light + f"@media(prefers-color-scheme:dark){{{dark}}}")


class Drawing:
    """A picture of a fixed size; coordinates are pixels from the upper left corner."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def text(self, x, y, words, kind="ink", anchor="start"):
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">'
            f"{escape(words)}</text>")

    def box(self, x, y, width, height, title, lines=(), kind="box"):
        """A box with a title and smaller lines below it."""
        if x < 0 or y < 0 or x + width > self.width or y + height > self.height:
            raise ValueError(f"{title}: the box is not within the picture")
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"'
            f' class="{kind}"/>')
        top = y + (height - 18 * len(lines)) / 2 + 5
        self.text(x + width / 2, top, title, "ink bold", "middle")
        for number, line in enumerate(lines, 1):
            self.text(x + width / 2, top + 18 * number, line, "quiet small", "middle")

    def path(self, points, kind="line", closes=False):
        steps = " ".join(f"{'M' if not index else 'L'}{x:g} {y:g}"
                         for index, (x, y) in enumerate(points))
        self.parts.append(f'<path d="{steps}{"Z" if closes else ""}" class="{kind}"/>')

    def arrow(self, x, y, right, down, label="", kind="line"):
        """An arrow from one point to another, straight or along one corner."""
        self.path([(x, y), (right, y), (right, down)] if x != right and y != down
                  else [(x, y), (right, down)], kind)
        if y != down:
            tip = -8 if down > y else 8
            head = [(right, down), (right - 4, down + tip), (right + 4, down + tip)]
        else:
            tip = -8 if right > x else 8
            head = [(right, down), (right + tip, down - 4), (right + tip, down + 4)]
        self.path(head, "head", closes=True)
        if label:
            self.text((x + right) / 2, min(y, down) - 6, label, "quiet small", "middle")

    def rectangle(self, x, y, width, height, kind):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" class="{kind}"/>')

    def circle(self, x, y, kind):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" class="{kind}"/>')

    def svg(self):
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
            f' width="{self.width}" height="{self.height}" role="img">',
            f"<title>{escape(self.title)}</title>", f"<style>{styles()}</style>",
            f'<rect width="{self.width}" height="{self.height}" class="page"/>', *self.parts,
            "</svg>"]
        return "\n".join(lines) + "\n"
