import Glibc
import VaultModel

/// A vault and a database with the same items, on the disk and in use.
struct Stores {
  let count: Int
  let folder: String
  let subject: Subject
  let peer: Peer
  /// The key file of the vault.
  let key: String
  /// The items in a random order that is not the order of arrival.
  let lookups: [Lookup]

  /// The lookups, created before they are measured, since networking code has its space at hand.
  struct Lookup {
    let number: Int
    let space: ProtectionSpace
    let account: String
    let item: PeerItem

    init(_ sample: Sample) throws {
      number = sample.number
      space = try sample.space()
      account = sample.account
      item = PeerItem(sample)
    }
  }

  var vaultPath: String { "\(folder)/items.vault" }
  var peerPath: String { "\(folder)/items.db" }

  /// The most items that are looked up, spread over the whole store.
  static let mostLookups = 10_000

  init(count: Int, folder: String, key: String) throws {
    self.count = count
    self.folder = folder
    self.key = key
    unsafe mkdir(folder, 0o700)
    let samples = Sample.shuffled(0..<count)
    subject = try Subject(path: "\(folder)/items.vault", key: key, creating: true)
    try subject.insertAll(samples.map { (sample) throws(VaultError) in try sample.item() })
    peer = try Peer(path: "\(folder)/items.db", creating: true)
    try peer.insertAll(samples.map(PeerItem.init))
    lookups = try Sample.shuffled(0..<count, seed: 11).prefix(Self.mostLookups).map(Lookup.init)
  }

  /// Returns the bytes of a file, with its journal if it has one.
  static func byteCount(_ path: String) throws -> Int {
    var information = stat()
    guard unsafe stat(path, &information) == 0 else { throw Failure("no file at \(path)") }
    return Int(information.st_size)
  }

  static func remove(_ path: String) {
    unsafe unlink(path)
    unsafe unlink(path + "-journal")
  }
}
