import VaultAdministration
import Glibc
import VaultModel

/// One kind of work by itself, for a profiler or a trace of system calls.
///
/// `vault-bench profile WORK ROUNDS COUNT FOLDER` fills a new vault with COUNT items, does the work
/// ROUNDS times, each through `profiled`, whose name a profiler can wait for, and prints the median.
struct Profile {
  let work: String
  let rounds: Int
  let count: Int
  let folder: String

  static let usage = """
    usage: vault-bench profile WORK ROUNDS COUNT FOLDER
    WORK is add, backup, bulk, find, first, grow, list, miss, modify, open, rekey, remove, restore,
    session, verify, or sqlite-add, -backup, -bulk, -find, -list, -miss, -modify, -remove
    """

  init(_ arguments: [String]) throws {
    guard arguments.count == 4, let rounds = Int(arguments[1]), let count = Int(arguments[2]) else {
      throw Failure(Self.usage)
    }
    (work, self.rounds, self.count, folder) = (arguments[0], rounds, count, arguments[3])
  }

  func run() throws {
    let path = "\(folder)/vault-bench-\(getpid())"
    guard unsafe mkdir(path, 0o700) == 0 else { throw Failure("\(path): errno \(errno)") }
    // The state that this run leaves is removed with the folder.
    unsafe setenv("XDG_STATE_HOME", path, 1)
    defer { _ = try? Child.run("/bin/rm", ["-r", "--", path]) }
    let key = "\(path)/key"
    try KeyFile.create(at: key)
    let stores = try Stores(count: count, folder: "\(path)/items", key: key)
    defer { stores.subject.close() }
    var times: [Double] = []
    for round in 0..<rounds { times.append(try time(round, stores)) }
    print(work, Report.time(Times(times).median))
  }

  private func time(_ round: Int, _ stores: Stores) throws -> Double {
    let vault = stores.subject.vault
    let new = Sample(number: count * 3 + round)
    let known = stores.lookups[round % stores.lookups.count]
    let (copy, restored) = ("\(stores.folder)/copy", "\(stores.folder)/restored")
    switch work {
    case "add":
      let item = try new.item()
      return try profiled { try vault.add(item) }
    case "sqlite-add":
      let item = PeerItem(new)
      return try profiled { try stores.peer.insert(item) }
    case "modify", "remove":
      guard let item = try vault.findAll(Sample.query(known.space, known.account)).first else {
        throw Failure("not found")
      }
      let secret = Sample.freshSecret()
      return try profiled {
        if work == "modify" {
          try vault.modify(item, [.secret(secret)])
        } else {
          try vault.remove(item)
        }
      }
    case "sqlite-modify":
      let secret = CText(Sample.freshSecretText())
      return try profiled { try stores.peer.update(known.item, secret: secret) }
    case "sqlite-remove": return try profiled { try stores.peer.remove(known.item) }
    case "find": return try profiled { _ = try stores.subject.find(known.space, known.account) }
    case "sqlite-find": return try profiled { _ = try stores.peer.find(known.item) }
    case "miss", "sqlite-miss":
      let unknown = try Stores.Lookup(new)
      return try profiled {
        if work == "miss" {
          _ = try stores.subject.find(unknown.space, unknown.account)
        } else {
          _ = try stores.peer.find(unknown.item)
        }
      }
    case "list": return try profiled { _ = try vault.findAll(ItemQuery()) }
    case "sqlite-list": return try profiled { _ = try stores.peer.list(sorted: false) }
    case "verify": return try profiled { _ = try vault.maintenance.verify() }
    case "rekey":
      return try profiled { _ = try vault.keys.rekey(keeping: [.keyFile(stores.key)]) }
    case "backup":
      Stores.remove(copy)
      return try profiled { _ = try vault.maintenance.backup(to: copy) }
    case "sqlite-backup":
      Stores.remove(copy)
      return try profiled { try stores.peer.execute("VACUUM INTO '\(copy)'") }
    case "restore":
      let key = KeySource.keyFile(stores.key)
      if round == 0 {
        _ = try vault.maintenance.backup(to: copy)
        try VaultMaintenance.restore(from: copy, to: restored, key: key)
      }
      return try profiled { _ = try VaultMaintenance.restore(from: copy, to: restored, key: key) }
    case "bulk":
      Stores.remove(copy)
      let items = try Sample.shuffled(0..<count).map { (sample) throws(VaultError) in
        try sample.item()
      }
      let subject = try Subject(path: copy, key: stores.key, creating: true)
      defer { subject.close() }
      let time = try profiled { try subject.insertAll(items) }
      print("bytes an item", try Stores.byteCount(copy) / count)
      return time
    case "sqlite-bulk":
      Stores.remove(copy)
      let items = Sample.shuffled(0..<count).map(PeerItem.init)
      let peer = try Peer(path: copy, creating: true)
      return try profiled { try peer.insertAll(items) }
    case "grow":
      Stores.remove(copy)
      let subject = try Subject(path: copy, key: stores.key, creating: true)
      defer { subject.close() }
      let time = try profiled {
        for sample in Sample.shuffled(0..<count) { try subject.vault.add(sample.item()) }
      }
      print("bytes an item", try Stores.byteCount(copy) / count)
      return time
    case "open", "first":
      return try profiled {
        let subject = try Subject(path: stores.vaultPath, key: stores.key)
        if work == "first" { _ = try subject.find(known.space, known.account) }
        subject.close()
      }
    case "session":
      let memory = Vault.inMemory()
      let credential = Credential(
        user: known.account, secret: Sample.freshSecret(), persistence: .session)
      try memory.set(credential, for: known.space)
      return try profiled {
        _ = try memory.credentials(for: known.space).first.map { Subject.sum($0.secret) }
      }
    default: throw Failure(Self.usage)
    }
  }
}

/// Does the work that is profiled.
@inline(never)
private func profiled(_ work: () throws -> Void) throws -> Double {
  try seconds(work)
}
