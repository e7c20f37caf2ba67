/// One of the keychain's 35 known weaknesses, and how the vault treats it.
struct Point: Sendable {
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
  /// Our behaviour instead, or the reason why nothing is done.
  let ours: String
  /// The rows that show it.
  let rows: [String]
  /// The proof if no row can show it.
  let shownBy: String?

  init(
    _ number: Int, _ apple: String, vault: Verdict, compatible: Verdict, _ ours: String,
    rows: String..., shownBy: String? = nil
  ) {
    self.number = number
    self.apple = apple
    self.vault = vault
    self.compatible = compatible
    self.ours = ours
    self.rows = rows
    self.shownBy = shownBy
  }
}

extension Point {
  static let all: [Point] = [
    Point(
      1, "NULL, empty and 0 all mean any, so what is unset cannot be asked for.", vault: .fixed,
      compatible: .kept, "Any, unset and equal are three words; C programs may rely on wildcards.",
      rows: "find.path.unset", "find.port.unset", "search.unset"),
    Point(
      2, "The type Default never meets another type.", vault: .fixed, compatible: .kept,
      "A query of a protection space takes it for any password method.",
      rows: "find.method.default", "find.method.default-of-space"),
    Point(
      3, "Which match is first is arbitrary, and that there are several does not show.",
      vault: .fixed, compatible: .fixed, "There is one order; `findUnique` shows several.",
      rows: "find.order", "find.order.key", "find.several"),
    Point(
      4, "Finding takes the path up to a NUL, adding by its length.", vault: .fixed,
      compatible: .fixed, "The length counts.", rows: "find.path.length"),
    Point(
      5, "Unknown attributes are ignored, and more items match, also to be deleted.", vault: .fixed,
      compatible: .fixed, "They are an error.",
      rows: "item.unknown-attribute", "search.unknown-attribute", "modify.unknown-attribute",
      "copy.unknown-attribute"),
    Point(
      6, "Subdomains are picked after the limit, by their case.", vault: .fixed,
      compatible: .foreign, "Before the limit, by canonical names.", rows: "item.subdomains"),
    Point(
      7, "Servers, ports and paths are not normalised.", vault: .fixed, compatible: .fixed,
      "Servers are; ports and paths are literal, and a query of a space knows the protocol's own port.",
      rows: "spelling.server.case", "spelling.server.dot", "spelling.server.idn", "spelling.path",
      "spelling.port", "find.port.default-of-space"),
    Point(
      8, "A protocol is a number or text, and an unknown one becomes 0.", vault: .fixed,
      compatible: .fixed, "A protocol is a name of any kind.",
      rows: "item.protocol.unknown", "item.protocol.spelling", "code.none", "code.unknown"),
    Point(
      9, "No attribute is mandatory, whatever the header says.", vault: .kept, compatible: .kept,
      "An item need not belong to a server: a token may be for many.",
      rows: "add.nothing"),
    Point(
      10, "A missing keychain is replaced by the default one.", vault: .fixed, compatible: .fixed,
      "It is an error, and nothing is stored.", rows: "add.place.invalid", "status.missing"),
    Point(
      11, "An absent type and a type of 0 are two keys.", vault: .fixed, compatible: .fixed,
      "They are one.", rows: "add.method.zero"),
    Point(
      12, "errSecParam says no more than its number.", vault: .fixed, compatible: .fixed,
      "Errors say what is wrong; in C `vault_last_error()` does.", rows: "status.detail"),
    Point(
      13, "Adding with a match option reports success and stores nothing.", vault: .foreign,
      compatible: .foreign, "Adding has no such options.", rows: "item.add.match"),
    Point(
      14, "A change that changes nothing dates the item.", vault: .fixed, compatible: .fixed,
      "It writes nothing.", rows: "modify.no-op"),
    Point(
      15, "A failed change stays in the item's object.", vault: .fixed, compatible: .fixed,
      "A function that fails changes nothing.",
      rows: "modify.collision.later", "modify.bad-value.later"),
    Point(
      16, "The creation date can be written, and the modification date is ignored.", vault: .fixed,
      compatible: .fixed, "Both are to read only, and writing one is an error.",
      rows: "modify.date.created", "modify.date.modified"),
    Point(
      17, "For items in no keychain header and code differ.", vault: .foreign,
      compatible: .foreign, "There are none.", rows: "modify.floating", "copy.floating"),
    Point(
      18, "NULL data with a length are ignored.", vault: .fixed, compatible: .kept,
      "An error, but not where programs for the keychain may rely on it.", rows: "modify.data.null"),
    Point(
      19, "A change is told as a deletion and an addition.", vault: .fixed, compatible: .foreign,
      "As one change.", rows: "modify.event"),
    Point(
      20, "References break when an item is renamed.", vault: .fixed, compatible: .fixed,
      "They hold an identity that stays.", rows: "modify.rename"),
    Point(
      21, "Deleting and updating take one match here, all there.", vault: .fixed,
      compatible: .foreign, "`removeOne` and `removeAll` are two functions, and the count is told.",
      rows: "item.delete", "item.delete.one", "item.delete.everything"),
    Point(
      22, "Several items are not changed in one transaction, and errors are hidden.",
      vault: .fixed, compatible: .foreign, "A transaction changes all or nothing.",
      rows: "item.update.several"),
    Point(
      23, "Who may not read a secret may overwrite it.", vault: .foreign, compatible: .foreign,
      "There are no rights to single items.", rows: "modify.secret.unread"),
    Point(
      24, "There is no way to add or change in one step, nor to notice another's change.",
      vault: .fixed, compatible: .kept, "`upsert`, and the revision that a change expects.",
      rows: "item.upsert", "modify.revision"),
    Point(
      25, "The command line's update looks for the very attributes that it is to change.",
      vault: .fixed, compatible: .foreign, "`upsert` looks for the key alone.", rows: "item.upsert"),
    Point(
      26, "A stale reference is one of three errors.", vault: .fixed, compatible: .fixed,
      "Always “not found”.", rows: "modify.deleted", "delete.twice", "copy.deleted"),
    Point(
      27, "One locked item fails a query; a keychain that fails is skipped.", vault: .fixed,
      compatible: .fixed, "A vault that cannot be searched is an error, and is locked as a whole.",
      rows: "find.where.failing", "item.locked-row", "item.two-stores"),
    Point(
      28, "All items with their secrets are refused.", vault: .fixed, compatible: .fixed,
      "They are given.", rows: "item.secrets"),
    Point(
      29,
      "Asking for a length leaks or gives nothing; a tag that is listed twice ends the process.",
      vault: .fixed, compatible: .fixed, "The length is given, and both places are filled.",
      rows: "find.secret.length-alone", "copy.length-alone", "copy.twice"),
    Point(
      30, "Empty and absent are one when read, and two when matched.", vault: .fixed,
      compatible: .fixed, "They are one.",
      rows: "copy.unset", "search.unset", "item.empty", "add.label.empty"),
    Point(
      31, "Secrets lie in ordinary memory, and copies of them are not wiped.", vault: .fixed,
      compatible: .fixed,
      "In Swift a secret has memory of its own, guarded and wiped; in C what is given out is wiped when it is freed.",
      rows: "free.content", shownBy: "SecretTests, MemoryTests"),
    Point(
      32, "Attributes are in clear, secrets under 3DES, dates in seconds of local time.",
      vault: .fixed, compatible: .fixed,
      "Everything is sealed with XChaCha20-Poly1305; dates are milliseconds of UTC.",
      rows: "storage.attributes", "storage.dates"),
    Point(
      33, "Attributes can be guessed from SHA-1 sums.", vault: .fixed, compatible: .fixed,
      "Hashes have a key.", rows: "storage.index"),
    Point(
      34, "What is corrupt is deleted silently.", vault: .fixed, compatible: .fixed,
      "It is an error, and stays.", rows: "add.damaged", "item.damaged"),
    Point(
      35,
      "The command line takes secrets as arguments, prints some in two ways, and cuts off its exit codes.",
      vault: .fixed, compatible: .foreign,
      "`vaultctl` takes no secret as an argument, prints its bytes as they are, and has exit codes of its own.",
      shownBy: "vaultctlTests"),
  ]
}
