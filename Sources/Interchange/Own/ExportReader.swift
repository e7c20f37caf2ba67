import SecureMemory
import VaultModel

/// Reads `vaultctl`'s own export: every attribute as it was written.
struct ExportReader: EntryReader {
  private enum State {
    case members, items, leftOut
  }

  private let json: JSONReader
  private var state = State.members
  private var (format, version): (String?, Int64?) = (nil, nil)
  /// The rules after they were read, until they are passed on.
  private var policy: Entry?

  init(_ source: ByteSource) {
    var limits = JSONReader.Limits()
    // A secret of a MiB in base 64, and an item with a hundred previous ones, each byte of which
    // can be an escape of six.
    (limits.string, limits.record) = (2 << 20, 1 << 30)
    json = JSONReader(source, limits: limits)
  }

  mutating func next() throws(VaultError) -> Entry? {
    while true {
      switch state {
      case .members:
        guard let name = try json.nextMember() else {
          try checkVersion()
          return nil
        }
        try readMember(name)
        if let policy {
          self.policy = nil
          return policy
        }
      case .items:
        if try json.nextElement() {
          let line = json.line
          json.beginRecord()
          var item = ExportItem(json)
          let entry = try item.read(at: .line(line))
          json.endRecord()
          return entry
        }
        state = .members
      case .leftOut:
        if try json.nextElement() { return try readLeftOut() }
        state = .members
      }
    }
  }

  /// Reads what its writer could not read.
  private func readLeftOut() throws(VaultError) -> Entry {
    let place = Place.line(json.line)
    var (title, reason) = ("", "")
    json.beginRecord()
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case ExportDocument.title: title = try json.string()
      case ExportDocument.reason: reason = try json.string()
      default: throw json.invalid("no member of what was left out")
      }
    }
    json.endRecord()
    return Entry(place, .rejected(reason), title: title)
  }

  private mutating func readMember(_ name: String) throws(VaultError) {
    switch name {
    case "format": format = try json.string()
    case "version": version = try json.integer()
    case "exported": _ = try json.string()
    case "items":
      try checkVersion()
      try json.beginArray()
      state = .items
    case ExportDocument.policy:
      try checkVersion()
      policy = try ExportRule.read(json)
    case ExportDocument.leftOut:
      try checkVersion()
      try json.beginArray()
      state = .leftOut
    default: throw json.invalid("no member of an export")
    }
  }

  /// Checks the names that come before the items, so that nothing is read as what it is not.
  private func checkVersion() throws(VaultError) {
    guard format == ExportDocument.format, let version, version > 0 else {
      throw VaultError(
        .invalidData, "this is no export of vaultctl: it does not begin with format and version")
    }
    guard version <= ExportDocument.version else {
      throw VaultError(
        .tooNew, "the export has version \(version), which is newer than this program")
    }
  }
}

/// The names in `vaultctl`'s own export, which `Documentation/schemas/export.json` describes.
///
/// A document is `{"format":"vaultctl-export","version":1,"items":[…]}`. Its items have the names
/// of all other documents of `vaultctl`. Version 1 never changes: a reader refuses a higher one,
/// and a member that it does not know.
enum ExportDocument {
  static let format = "vaultctl-export"
  static let version: Int64 = 1

  /// Whether the item is the default credential of its space.
  static let isDefault = "default"
  /// The time at which the item was removed, if it is in the trash.
  static let removed = "removed"
  /// The rules of the policy, after the items, which must not be refused by them.
  static let policy = "policy"
  /// The parts that could not be read where the items come from, after them, each with these two.
  static let leftOut = "left_out"
  static let title = "title"
  static let reason = "reason"
  /// The secrets that the item had before, each with its own attributes and these two times.
  static let previous = "previous"
  static let set = "set"
  static let replaced = "replaced"
  /// Follows the name of a secret that is not UTF-8 and so is written in base 64.
  static let base64Suffix = "_base64"
  static let secretKinds = ["password", "token", "identity", "keytab"]

  /// Returns the attributes that are written for an item of a class.
  ///
  /// The revision means nothing elsewhere, and how long a policy lets an item be kept is decided by
  /// the policy of the vault that it comes to.
  static func attributes(of itemClass: ItemClass) -> [Attribute] {
    Attribute.all.filter {
      $0.isOf(itemClass) && $0 != .revision && $0 != .keptUntil
    }
  }

  static func name(_ itemClass: ItemClass) -> String {
    switch itemClass {
    case .internetPassword: "internet"
    case .genericPassword: "generic"
    }
  }
}
