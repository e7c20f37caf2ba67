"""The part of the documentation's site beside the API: the pages for users as a DocC catalog, a
search over everything, and links that work below any path. `Scripts/docs` imports it."""

import html
import json
import re
import shutil
from pathlib import Path

FENCE = re.compile(r"(?ms)(^```.*?^```$)")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"(?m)^#+ (.+)$")


def plain(text):
    """Markdown without fences, marks and the targets of links."""
    text = FENCE.sub(lambda block: re.sub(r"(?m)^```.*$", "", block[0]), text)
    return re.sub(r"[`*|]|^#+ |\]\([^)]*\)|!?\[", " ", text, flags=re.M)


def fragment(heading):
    """How DocC names a heading."""
    return re.sub(r"\s+", "-", re.sub(r"[`'’\"“”]", "", heading.strip()))


def slug(heading):
    """How GitHub names a heading, which is how the pages name it."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")


def write_catalog(pages, catalog):
    """Writes the pages of a folder as articles below one page, whose topics are the index's."""
    catalog.mkdir()
    texts = {path.stem: path.read_text() for path in pages.glob("*.md") if path.stem != "README"}
    anchors = {
        name: {slug(heading): fragment(heading) for heading in HEADING.findall(FENCE.sub("", text))}
        for name, text in texts.items()}
    for name, text in texts.items():
        def link(match):
            path, _, anchor = match[2].partition("#")
            target = path.removesuffix(".md") or name
            if "://" in match[2]:
                return match[0]
            if target not in texts:
                return match[1]  # what is beside the sources alone
            place = "#" + anchors[target][anchor] if anchor else ""
            return f"[{match[1]}](doc:{target}{place})"

        parts = FENCE.split(text)
        parts = [part if part.startswith("```") else LINK.sub(link, part) for part in parts]
        (catalog / f"{name}.md").write_text("".join(parts).replace("](pictures/", "]("))
    for picture in (pages / "pictures").glob("*.svg"):
        shutil.copy(picture, catalog)
    index = []
    for line in (pages / "README.md").read_text().splitlines():
        if line.startswith("## "):
            index += ["", f"#{line}", ""]
        elif item := re.match(r"- \[[^\]]+\]\(([a-z-]+)\.md\)", line):
            index.append(f"- <doc:{item[1]}>")
    (catalog / "Guides.md").write_text("\n".join([
        "# Guides", "", "@Metadata {", "  @TechnologyRoot", "}", "",
        "Using `vaultctl`, writing programs, and what is inside.", "", "## Topics", *index, ""]))


def relocate(site):
    """Makes every page find its scripts and data from where it is, below whatever path."""
    for page in site.rglob("*.html"):
        text = page.read_text()
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = re.sub(r'((?:href|src)=")/(?=[a-z])', rf"\1{up or './'}", text)
        text = text.replace(
            'var baseUrl = "/"', f'var baseUrl = new URL("{up or "./"}", location.href).pathname')
        page.write_text(text)


def entries(site, pages, manual):
    """What the search knows: the name, the address and the text of each page."""
    for path in sorted(pages.glob("*.md")):
        if path.stem != "README":
            title, _, text = path.read_text().partition("\n")
            yield title.strip("# "), f"documentation/guides/{path.stem}/", plain(text)
    for path in sorted(manual.glob("*.1")):
        text = re.sub(r"\\f[BIR]|^\.[A-Za-z]+ ?", "", path.read_text().replace("\\-", "-"), flags=re.M)
        yield f"{path.stem}(1)", f"man/{path.stem}.html", text
    for path in sorted((site / "data/documentation").rglob("*.json")):
        page = json.loads(path.read_text())
        address = path.relative_to(site / "data").with_suffix("")
        title = page.get("metadata", {}).get("title")
        if title and "/guides" not in str(address):
            yield title, f"{address}/", "".join(
                part.get("text", part.get("code", "")) for part in page.get("abstract", []))


def write_search(site, pages, manual):
    rows = [
        [title, address, " ".join(text.split())] for title, address, text in
        entries(site, pages, manual)]
    (site / "search.json").write_text(json.dumps(rows, ensure_ascii=False, separators=(",", ":")))


def listed(rows):
    return "\n".join(
        f'<li><a href="{address}">{title}</a>: {text}</li>' for title, address, text in rows)


def landing(products, articles, pages):
    """The page at the root, where DocC's own script finds nothing to show."""
    guides = re.findall(
        r"(?ms)^- \[([^\]]+)\]\(([a-z-]+)\.md\): (.*?)(?=\n- |\n\n|\Z)",
        (pages / "README.md").read_text())
    rows = [
        (html.escape(title), f"documentation/guides/{name}/",
         re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(" ".join(text.split()))))
        for title, name, text in guides]
    return LANDING.replace("GUIDES", listed(rows)).replace(
        "PRODUCTS", listed(products)).replace("ARTICLES", listed(articles))


LANDING = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Credential Vault</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
input { width: 100%; font: inherit; }
</style></head>
<body>
<h1>Credential Vault</h1>
<p>Credentials in one encrypted file, for Swift, C and the command line.</p>
<p><input id="words" type="search" placeholder="Search the guides, man pages and API"
  aria-label="Search"></p>
<ol id="found"></ol>
<h2>Guides</h2>
<ul>
GUIDES
</ul>
<h2>Programs</h2>
<p>The <a href="man/index.html">man pages</a> describe <code>vaultctl</code>, each of its commands
and its helpers.</p>
<h2>Libraries</h2>
<ul>
PRODUCTS
</ul>
<h2>Articles for programmers</h2>
<ul>
ARTICLES
</ul>
<script>
// All words must be in a page; a page that has them in its name comes first.
const words = document.getElementById("words"), found = document.getElementById("found");
let pages;
async function show() {
  pages ??= fetch("search.json").then(answer => answer.json());
  const wanted = words.value.toLowerCase().split(/\\s+/).filter(word => word);
  const hits = [];
  for (const [title, address, text] of wanted.length ? await pages : []) {
    const name = title.toLowerCase(), all = name + " " + text.toLowerCase();
    if (!wanted.every(word => all.includes(word))) continue;
    const rank = wanted.filter(word => name.includes(word)).length;
    const at = Math.max(0, text.toLowerCase().indexOf(wanted[0]) - 40);
    hits.push([rank, title, address, text.slice(at, at + 120)]);
  }
  hits.sort((one, other) => other[0] - one[0]);
  found.replaceChildren(...hits.slice(0, 30).map(([, title, address, text]) => {
    const row = document.createElement("li"), link = document.createElement("a");
    link.href = address;
    link.textContent = title;
    row.append(link, ": … " + text + " …");
    return row;
  }));
}
words.addEventListener("input", show);
words.value = new URLSearchParams(location.search).get("q") ?? "";
if (words.value) show();
</script>
</body>
</html>
"""
