import CredentialVault
import VaultModel
import VaultStore

/// The collections of a vault as they were when it was last unlocked, so that they are there while
/// it is locked.
///
/// A client that starts with the desktop looks for its collection before anybody has typed the
/// passphrase. So a file of the state folder has their names, labels and aliases, in clear, and
/// nothing of what is in them.
struct KnownCollections {
  /// A collection's own properties.
  struct Collection: Equatable {
    var name: String
    var label: String
    var aliases: [String] = []
    var created = Timestamp(seconds: 0)
    var modified = Timestamp(seconds: 0)
  }

  private static let mostBytes = 1 << 20

  /// The file; nil without a home, and then this program alone knows them, for as long as it runs.
  let path: String?
  private(set) var collections: [Collection] = []

  /// Reads the collections of a vault; a file that cannot be trusted or read counts as none.
  init(ofVaultAt vault: String?) {
    path = vault.flatMap { vault in
      VaultLocation.stateFolder().map {
        "\($0)/secret-service-\(AttributeMapping.digest(["vault": vault]).prefix(32)).collections"
      }
    }
    do throws(VaultError) {
      guard let path, let bytes = try SmallFile.read(path, atMost: Self.mostBytes) else { return }
      collections = Self.read(bytes)
    } catch {
      // Until the vault is unlocked only the collections are listed that are always there.
    }
  }

  /// Takes the collections of the unlocked vault over, and writes those that are new to the file.
  mutating func note(_ new: [Collection]) {
    guard new != collections else { return }
    let (old, bytes) = (Self.written(collections), Self.written(new))
    collections = new
    guard let path, bytes != old, bytes.count <= Self.mostBytes else { return }
    do throws(VaultError) {
      try SmallFile.replace(path, with: bytes)
    } catch {
      // Known until this program ends: without the file nothing that was stored is lost.
    }
  }

  /// The kinds of the file's texts, each of which ends with NUL, which no text has.
  private enum Part: UInt8 {
    case name = 0x6E  // n
    case label = 0x6C  // l
    case alias = 0x61  // a
  }

  private static func written(_ collections: [Collection]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ part: Part, _ text: String) {
      bytes += [part.rawValue] + Array(text.utf8) + [0]
    }
    for collection in collections {
      append(.name, collection.name)
      append(.label, collection.label)
      for alias in collection.aliases { append(.alias, alias) }
    }
    return bytes
  }

  /// Returns the collections of a file; parts of it that are none are left out.
  private static func read(_ bytes: [UInt8]) -> [Collection] {
    var collections: [Collection] = []
    for part in bytes.split(separator: 0) {
      let content = Array(part.dropFirst())
      guard let text = String(validating: content, as: UTF8.self) else { continue }
      switch Part(rawValue: part[part.startIndex]) {
      case .name where ObjectPath.name(from: text) == text:
        collections.append(Collection(text, label: text))
      case .label where !collections.isEmpty: collections[collections.count - 1].label = text
      case .alias where !collections.isEmpty:
        collections[collections.count - 1].aliases.append(text)
      default: continue
      }
    }
    return collections
  }
}

extension KnownCollections.Collection {
  init(_ name: String, label: String) {
    self.init(name: name, label: label)
  }
}
