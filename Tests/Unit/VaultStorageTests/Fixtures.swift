import SecureMemory
import StoreTesting
import TestSupport
import VaultModel

@testable import SealedTree
@testable import VaultCrypto
@testable import VaultFile

extension EpochKeys {
  convenience init(
    vaultKey: [UInt8], ident: Ident = Ident(vaultID: VaultID(), epoch: 1)
  ) {
    self.init(VaultKey(KeyBuffer(vaultKey)), ident: ident)
  }
}

/// A vault of one test's own.
struct Fixture {
  let folder: TemporaryFolder
  let keyPath: String
  let path: String
  let store: FileStore

  /// Creates a new vault with a key file.
  ///
  /// Without a log, a test can count the records that its changes make.
  init(time: TimeSource = .system, isLogged: Bool = false) throws {
    folder = try TemporaryFolder()
    path = folder.file("own.vault")
    let key = KeyFile()
    keyPath = try folder.write(key.encoded().array, as: "own.key")
    store = try FileStore.create(
      VaultPath(path), key: .keyFile(key), slotName: "own", cost: .minimum,
      stateFolder: folder.file("state"), lockTimeout: .seconds(5), time: time,
      logDays: isLogged ? LoggedChange.defaultDays : 0)
  }

  /// Opens a copy of a golden vault; locked.
  init(golden name: String) throws {
    folder = try TemporaryFolder()
    path = try folder.copy("\(Golden.folder)/\(name).vault", as: "\(name).vault")
    keyPath = try folder.copy("\(Golden.folder)/\(name).key", as: "\(name).key")
    store = try FileStore.open(
      VaultPath(path), stateFolder: folder.file("state"), lockTimeout: .seconds(5))
  }

  /// Opens the vault again, as another program would; the previous one is closed.
  func reopened(
    _ path: String? = nil, chain: MigrationChain = .current, time: TimeSource = .system
  ) throws -> FileStore {
    try? store.close()
    let store = try FileStore.open(
      VaultPath(path ?? self.path), stateFolder: folder.file("state"), lockTimeout: .seconds(5),
      chain: chain, time: time)
    try store.unlock(with: .keyFile(try keyFile()))
    return store
  }

  func keyFile() throws -> KeyFile {
    try folder.bytes(keyPath).withSpan { (bytes) throws(VaultError) in
      try KeyFile(decoding: bytes)
    }
  }

  /// Returns all items with their secrets, including those of expired ones, as in the listings.
  func items() throws -> [JSON] {
    try store.locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        try reader.items(matching: ItemQuery()) { (record) throws(VaultError) in
          try reader.opened(record)
        }
      }
    }.map(Listing.json)
  }
}

/// The structure of a vault's trees.
struct Shape {
  struct Tree {
    let level: Int
    let number: UInt32
    let host: [UInt8]
    let account: [UInt8]
    let directory: Directory
    /// The number of tree records in it.
    var groupCount = 0
    /// The maximum number of records of a bucket with a common key.
    var heaviest = 0
  }

  var trees: [Tree] = []
  var rows: [UInt64] = []
  /// The records of all trees except tree records.
  var records: [Record] = []

  /// Returns the trees of a level.
  func trees(level: Int) -> [Tree] { trees.filter { $0.level == level } }

  var root: Directory { trees(level: 0)[0].directory }

  /// The number of chunks that have rows.
  var chunkCount: Int { rows.count { $0 < NodeID.firstLargeSecret && $0 & 1 << 32 != 0 } }

  /// The number of large secrets that have rows.
  var largeSecretCount: Int {
    rows.count { (NodeID.firstLargeSecret..<NodeID.firstAncestors).contains($0) }
  }

  /// Returns the bodies of the records of a kind, in no order.
  func bodies(_ kind: UInt8) -> Set<[UInt8]> {
    Set(records.filter { $0.kind == kind }.map(\.body))
  }
}

extension FileStore {
  /// Puts a record into the file like a version that knows more, or less.
  func plant(_ kind: UInt8, _ body: [UInt8]) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      let route = try Route(kind: kind, body, 0..<body.count)
      try transaction.editor.insert(Record(kind: kind, body: body), at: route)
    }
  }

  /// Replaces the head by a changed one that follows on the present one.
  func changeHead(_ change: (inout Head) -> Void) throws(VaultError) {
    try locked { (file) throws(VaultError) in
      try file.inTransaction { (now, connection) throws(VaultError) in
        var head = now.head
        try head.succeed(now.headTag, at: .now(), sealing: now.keys, to: connection)
        change(&head)
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateHead, .blob(sealed))
        return (now, head, sealed)
      }
    }
  }

  /// Deletes an item and leaves nothing of it in the trash.
  func deleteForGood(_ id: ItemID, hint: InternetPassword.Key) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      try transaction.remove(id, hint: hint, isForGood: true)
    }
  }

  /// Returns the items that match, without their secrets.
  func find(_ query: ItemQuery) throws(VaultError) -> [InternetPassword] {
    try find(query, secrets: false)
  }

  /// Reads the structure of the vault from its rows.
  func shape() throws(VaultError) -> Shape {
    try locked { (file) throws(VaultError) in
      file.forgetLabel()
      return try file.read { (reader) throws(VaultError) in
        var shape = Shape()
        try shape.add(
          Shape.Tree(level: 0, number: 0, host: [], account: [], directory: reader.root), reader)
        try file.connection.run(.selectNodeIDs) { shape.rows.append($0.integer(0)) }
        return shape
      }
    }
  }
}

extension Shape {
  fileprivate mutating func add(_ tree: Tree, _ reader: TreeReader) throws(VaultError) {
    var tree = tree
    var groups: [TreeRecord] = []
    for number in 0..<tree.directory.bucketCount {
      var keys: [[UInt8]: Int] = [:]
      var bucket = RecordReader(try reader.bucket(number, of: tree.number, in: tree.directory))
      while let (kind, body) = try bucket.next() {
        let route = try Route(kind: kind, bucket.bytes, body)
        keys[route.key(level: tree.level), default: 0] += 1
        if kind == RecordKind.tree {
          groups.append(try TreeRecord(decoding: bucket.bytes, body))
        } else {
          records.append(Record(kind: kind, body: Array(bucket.bytes[body])))
        }
      }
      tree.heaviest = max(tree.heaviest, keys.values.max() ?? 0)
    }
    tree.groupCount = groups.count
    trees.append(tree)
    for group in groups {
      try add(
        Tree(
          level: group.level, number: group.number, host: group.host, account: group.account,
          directory: group.directory), reader)
    }
  }
}

extension Fixture {
  /// Adds items of as many servers, `h0.example` and so on, with the secrets `secret 0` and so on.
  func addItems(_ count: Int) throws {
    for number in 0..<count {
      _ = try store.add(
        InternetPassword(
          server: HostName("h\(number).example"), account: "ann", secret: Secret("secret \(number)")
        ))
    }
  }
}
