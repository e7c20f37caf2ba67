"""One text vector: `key: value` lines, a blank line, and the bytes under test in hex."""

from dataclasses import dataclass, field

OUTCOMES = ("success", "damaged", "not canonical", "too costly", "wrong key", "too new")


@dataclass
class Vector:
    area: str
    scenario: str
    expect: str
    comment: str
    body: bytes = b""
    keys: dict = field(default_factory=dict)

    def text(self):
        assert self.expect in OUTCOMES
        lines = [f"expect: {self.expect}", f"comment: {self.comment}"]
        for key, value in self.keys.items():
            lines.append(f"{key}: {value.hex() if isinstance(value, bytes) else value}".rstrip())
        digits = self.body.hex()
        lines += [""] + [digits[i:i + 64] for i in range(0, len(digits), 64)]
        return "\n".join(lines).rstrip("\n") + "\n"

    @staticmethod
    def parse(area, scenario, content):
        head, _, body = content.partition("\n\n")
        keys = dict(line.split(":", 1) for line in head.splitlines())
        keys = {key: value.strip() for key, value in keys.items()}
        return Vector(area, scenario, keys.pop("expect"), keys.pop("comment"),
                      bytes.fromhex(body), keys)
