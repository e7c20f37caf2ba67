/// One of the keychain's 35 known weaknesses, and how the vault treats it.
struct Weakness: Sendable {
  enum Verdict: String, Sendable {
    case fixed
    case kept
    case foreign = "does not apply"
  }

  let number: Int
  /// The keychain's behaviour.
  let apple: String
  let vault: Verdict
  let compatible: Verdict
  /// The rows that show it.
  let rows: [String]
  /// The proof if no row can show it.
  let shownBy: String?

  init(
    _ number: Int, _ apple: String, vault: Verdict, compatible: Verdict,
    rows: String..., shownBy: String? = nil
  ) {
    self.number = number
    self.apple = apple
    self.vault = vault
    self.compatible = compatible
    self.rows = rows
    self.shownBy = shownBy
  }
}

extension Weakness {
  static let all: [Weakness] = [
    Weakness(
      1, "NULL, empty and 0 mean any: unset attributes cannot be queried.", vault: .fixed,
      compatible: .kept,
      rows: "find.path.unset", "find.port.unset", "search.unset"),
    Weakness(
      2, "The type Default never matches another type.", vault: .fixed, compatible: .kept,
      rows: "find.method.default", "find.method.default-of-space"),
    Weakness(
      3, "Which match comes first is arbitrary, and callers cannot see that there are several.",
      vault: .fixed, compatible: .fixed,
      rows: "find.order", "find.order.key", "find.several"),
    Weakness(
      4, "Finding reads the path up to a NUL, adding uses its length.", vault: .fixed,
      compatible: .fixed, rows: "find.path.length"),
    Weakness(
      5, "Unknown attributes are ignored, so more items match, even for deletion.", vault: .fixed,
      compatible: .fixed,
      rows: "item.unknown-attribute", "search.unknown-attribute", "modify.unknown-attribute",
      "copy.unknown-attribute"),
    Weakness(
      6, "Subdomains are filtered after the limit, case-sensitively.", vault: .fixed,
      compatible: .fixed, rows: "item.subdomains"),
    Weakness(
      7, "Servers, ports and paths are not normalised.", vault: .fixed, compatible: .fixed,
      rows: "spelling.server.case", "spelling.server.dot", "spelling.server.idn", "spelling.path",
      "spelling.port", "find.port.default-of-space"),
    Weakness(
      8, "A protocol is a number or text, and an unknown one becomes 0.", vault: .fixed,
      compatible: .fixed,
      rows: "item.protocol.unknown", "item.protocol.spelling", "code.none", "code.unknown"),
    Weakness(
      9, "No attribute is mandatory, whatever the header says.", vault: .kept, compatible: .kept,
      rows: "add.nothing"),
    Weakness(
      10, "A missing keychain is replaced by the default one.", vault: .fixed, compatible: .fixed,
      rows: "add.place.invalid", "status.missing"),
    Weakness(
      11, "An absent type and a type of 0 are different keys.", vault: .fixed, compatible: .fixed,
      rows: "add.method.zero"),
    Weakness(
      12, "errSecParam says nothing but its number.", vault: .fixed, compatible: .fixed,
      rows: "status.detail"),
    Weakness(
      13, "Adding with a match option succeeds and stores nothing.", vault: .foreign,
      compatible: .fixed, rows: "item.add.match"),
    Weakness(
      14, "A change that changes nothing updates the item's date.", vault: .fixed,
      compatible: .fixed, rows: "modify.no-op"),
    Weakness(
      15, "A failed change stays in the item's object.", vault: .fixed, compatible: .fixed,
      rows: "modify.collision.later", "modify.bad-value.later"),
    Weakness(
      16, "The creation date can be written, and the modification date is ignored.", vault: .fixed,
      compatible: .fixed,
      rows: "modify.date.created", "modify.date.modified"),
    Weakness(
      17, "For items in no keychain, header and code differ.", vault: .foreign,
      compatible: .foreign, rows: "modify.floating", "copy.floating"),
    Weakness(
      18, "NULL data with a length are ignored.", vault: .fixed, compatible: .kept,
      rows: "modify.data.null"),
    Weakness(
      19, "A change is told as deletion and addition.", vault: .fixed,
      compatible: .fixed, rows: "modify.event"),
    Weakness(
      20, "References break when an item is renamed.", vault: .fixed, compatible: .fixed,
      rows: "modify.rename"),
    Weakness(
      21, "Deleting and updating affect one match in one store, all in the other.", vault: .fixed,
      compatible: .fixed,
      rows: "item.delete", "item.delete.one", "item.delete.everything"),
    Weakness(
      22, "Several items are not changed in one transaction, and errors are hidden.",
      vault: .fixed, compatible: .fixed,
      rows: "item.update.several"),
    Weakness(
      23, "Who may not read a secret may overwrite it.", vault: .foreign,
      compatible: .foreign, rows: "modify.secret.unread"),
    Weakness(
      24, "Nothing adds or changes in one step, or detects another's change.",
      vault: .fixed, compatible: .kept,
      rows: "item.upsert", "modify.revision"),
    Weakness(
      25, "The command line's update searches for what it should change.",
      vault: .fixed, compatible: .foreign,
      rows: "item.upsert"),
    Weakness(
      26, "A stale reference is one of three errors.", vault: .fixed, compatible: .fixed,
      rows: "modify.deleted", "delete.twice", "copy.deleted"),
    Weakness(
      27, "One locked item fails a query; a keychain that fails is skipped.", vault: .fixed,
      compatible: .fixed,
      rows: "find.where.failing", "item.locked-row", "item.two-stores"),
    Weakness(
      28, "Requesting all items with their secrets is refused.", vault: .fixed, compatible: .fixed,
      rows: "item.secrets"),
    Weakness(
      29,
      "Requesting a length leaks or returns nothing; a tag that is listed twice crashes the process.",
      vault: .fixed, compatible: .fixed,
      rows: "find.secret.length-alone", "copy.length-alone", "copy.twice"),
    Weakness(
      30, "Empty and absent are the same when read, but differ when matched.", vault: .fixed,
      compatible: .fixed,
      rows: "copy.unset", "search.unset", "item.empty", "add.label.empty"),
    Weakness(
      31, "Secrets are in ordinary memory, and their copies are not wiped.", vault: .fixed,
      compatible: .fixed,
      rows: "free.content", shownBy: "SecretTests, MemoryTests"),
    Weakness(
      32, "Attributes are in clear, secrets under 3DES, dates in seconds of local time.",
      vault: .fixed, compatible: .fixed,
      rows: "storage.attributes", "storage.dates"),
    Weakness(
      33, "Attributes can be guessed from SHA-1 sums.", vault: .fixed, compatible: .fixed,
      rows: "storage.index"),
    Weakness(
      34, "Corrupt data is silently deleted.", vault: .fixed, compatible: .fixed,
      rows: "add.damaged", "item.damaged"),
    Weakness(
      35,
      "The command line takes secrets as arguments, prints some in two ways, truncates exit codes.",
      vault: .fixed, compatible: .foreign,
      shownBy: "vaultctlTests"),
  ]
}
