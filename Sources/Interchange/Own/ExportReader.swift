import SecureMemory
import VaultModel

/// Reads `vaultctl`'s own export: every attribute as it was written.
struct ExportReader: EntryReader {
  private enum State {
    case members, items
  }

  private let json: JSONReader
  private var state = State.members
  private var (format, version): (String?, Int64?) = (nil, nil)

  init(_ source: ByteSource) {
    json = JSONReader(source)
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
      }
    }
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
