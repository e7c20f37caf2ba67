import SecureMemory
import VaultModel

/// The older versions of an entry, the oldest first.
///
/// KeePass keeps some megabytes of them for each entry, mostly the same texts again.
struct KeePassHistory {
  /// The bytes of all texts that are kept beside passwords.
  private static let room = 1 << 18
  private static let hasher = SecretHasher()

  /// A text of a field, which is only recognized.
  private struct Mark: Hashable {
    let key: String
    let hash: SecretHasher.Hash

    init(_ key: String, _ value: Secret) {
      self.key = key
      hash = KeePassHistory.hasher.hash(of: value)
    }
  }

  private(set) var versions: [KeePassVersion] = []
  /// The texts that differ; nil where there was no room.
  private var texts: [(mark: Mark, value: Secret?)] = []
  private var marks: Set<Mark> = []
  private var used = 0
  private(set) var attachments: Set<String> = []

  mutating func begin() { versions.append(KeePassVersion()) }

  mutating func setPassword(_ password: Secret) { set(\.password, password) }

  mutating func setModified(_ time: Timestamp?) { set(\.modified, time) }

  private mutating func set<T>(_ part: WritableKeyPath<KeePassVersion, T>, _ value: T) {
    if !versions.isEmpty { versions[versions.count - 1][keyPath: part] = value }
  }

  /// Adds a text beside the password.
  mutating func add(_ key: String, _ value: Secret) {
    let mark = Mark(key, value)
    guard value.count > 0, marks.insert(mark).inserted else { return }
    let fits = used + value.count <= Self.room
    if fits { used += value.count }
    texts.append((mark, fits ? value : nil))
  }

  mutating func add(attachment name: String) { attachments.insert(name) }

  /// Returns the texts that the entry does not have any more, the oldest first; nil for one that
  /// was too long to keep.
  func texts(besides present: [(key: String, value: Secret)]) -> [(key: String, value: Secret?)] {
    guard !texts.isEmpty else { return [] }
    let known = Set(present.map { Mark($0.key, $0.value) })
    return texts.compactMap { known.contains($0.mark) ? nil : ($0.mark.key, $0.value) }
  }
}

/// The password of an older version, and when it was made.
struct KeePassVersion {
  var password: Secret?
  var modified: Timestamp?
}
