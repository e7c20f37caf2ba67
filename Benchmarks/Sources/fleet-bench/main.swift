import VaultAdministration
import Glibc
import SecureMemory
import VaultModel

// One part of what Extras/Fleet/Benchmarks/fleet measures, by the library: prints numbers. The last
// one is run by hand, since it takes minutes.
//
//   fleet-bench fill VAULT KEY COUNT          adds that many items in one transaction
//   fleet-bench add VAULT KEY COUNT           adds that many, each in a commit of its own
//   fleet-bench find VAULT OTHER KEY COUNT    finds in both, in turns: the first's times by the other's
//   fleet-bench turns KEY ROUNDS WRITER READER...
//                                             pairs of replicas, in turns: for each pair a line with the
//                                             milliseconds of a check for something new, a line with
//                                             those of a commit, and one with those of getting ten
//   fleet-bench write SECONDS KEY VAULT...    a writer on each vault: commits a second, of all
//   fleet-bench machines FOLDER COUNT         a new vault with that many machines: what each step takes

func item(_ name: String) throws -> Item {
  Item(
    server: try HostName("\(name).example.com"), account: name, secret: Secret("correct horse"),
    protocol: .https)
}

func open(_ path: String, _ key: String) throws -> Vault {
  try Vault.open(path: path, key: .keyFile(key))
}

/// Returns the seconds of processor time that some lookups take: they wait for nothing, and other
/// programs do not count.
func lookups(_ vault: Vault, _ count: Int, from start: Int) throws -> Double {
  func now() -> Double {
    var time = timespec()
    // The structure is ours.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let begun = now()
  for number in start..<start + 500 {
    let name = "item\(number * 7919 % count)"
    var query = ItemQuery()
    query.server = .equals(try HostName("\(name).example.com"))
    guard try vault.findAll(query, withSecrets: true).count == 1 else {
      throw VaultError(.itemNotFound, name)
    }
  }
  return now() - begun
}

func find(_ first: Vault, _ second: Vault, _ count: Int) throws -> [Double] {
  var ratios: [Double] = []
  for round in 0..<60 {
    // Whoever is first in a round may find the processor warmer.
    let isTurned = round % 2 == 1
    let one = try lookups(isTurned ? second : first, count, from: round * 500)
    let two = try lookups(isTurned ? first : second, count, from: round * 500)
    if round >= 4 { ratios.append(isTurned ? two / one : one / two) }
  }
  return ratios
}

/// Measures what a program that stays needs to ask, to commit, and to get ten commits of another.
func turns(_ pairs: [(writer: Vault, reader: Vault)], rounds: Int) throws {
  let clock = ContinuousClock()
  func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    try clock.measure(body) / .milliseconds(1)
  }
  var times = [[Double]](repeating: [], count: pairs.count * 3)
  // The first round connects.
  for round in 0...rounds {
    for (index, pair) in pairs.enumerated() {
      try pair.reader.maintenance.sync()
      let asking = try milliseconds { try pair.reader.maintenance.sync() }
      var commits: [Double] = []
      for number in 0..<10 {
        let item = try item("t\(getpid())r\(round)n\(number)")
        commits.append(try milliseconds { try pair.writer.add(item) })
      }
      let pulling = try milliseconds { try pair.reader.maintenance.sync() }
      guard round > 0 else { continue }
      times[index * 3].append(asking)
      times[index * 3 + 1] += commits
      times[index * 3 + 2].append(pulling)
    }
  }
  for line in times { print(line.map { "\($0)" }.joined(separator: " ")) }
}

/// Lets a thread write to each vault until the time is over, and returns the commits of all that
/// ended in it.
func write(_ vaults: [Vault], for time: Duration) async throws -> Int {
  let end = ContinuousClock.now + time
  let process = getpid()
  return try await withThrowingTaskGroup(of: Int.self) { group in
    for (writer, vault) in vaults.enumerated() {
      group.addTask {
        var count = 0
        while true {
          // The asynchronous call has a thread of its own in each vault.
          try await vault.add(item("w\(process)n\(writer)c\(count)"))
          guard ContinuousClock.now < end else { return count }
          count += 1
        }
      }
    }
    return try await group.reduce(0, +)
  }
}

/// Admits machines to a new vault, and prints what the last one took, unlocking, and a rekey.
///
/// Those between are admitted a thousand at once, of which the time of each is printed.
func admit(_ count: Int, in folder: String) throws {
  let clock = ContinuousClock()
  let (path, key, admin) = (folder + "/vault", folder + "/key", folder + "/admin")
  try KeyFile.create(at: key)
  let vault = try Vault.create(path: path, key: .keyFile(key))
  let machines = vault.keys.machines
  try machines.begin(keyFile: admin, name: "admin")
  let line = try machines.adminKey()
  var number = 1
  while number < count {
    let numbers = number..<min(number + 999, count - 1)
    func join(_ number: Int) throws -> String {
      try MachineKeyFile.create(
        at: "\(folder)/machine\(number)", name: "machine \(number)", adminKey: line)
    }
    let requests = try numbers.map(join)
    let together = try clock.measure { try machines.admit(all: requests, with: .keyFile(admin)) }
    let last = try join(numbers.upperBound)
    let alone = try clock.measure { try machines.admit(last, with: .keyFile(admin)) }
    number = numbers.upperBound + 1
    let copy = "\(folder)/copy\(number)"
    try vault.maintenance.backup(to: copy)
    let file = "\(folder)/machine\(numbers.upperBound)"
    let opening = try clock.measure { try open(copy, file).close() }
    let other = try open(copy, key)
    let id = try other.keys.machines.list().last?.id ?? 0
    let rekeying = try clock.measure {
      _ = try other.keys.rekey(keeping: [.keyFile(key), .keyFile(admin)], removing: [id])
    }
    print(
      "\(number) machines: admit \(numbers.count) at once \(together), one \(alone),"
        + " open \(opening), rekey without one \(rekeying)")
    // Also into a file, line by line.
    fflush(nil)
    try other.close()
  }
}

let words = Array(CommandLine.arguments.dropFirst())
do {
  switch (words.first, words.count) {
  case ("fill", 4):
    let vault = try open(words[1], words[2])
    try vault.write { transaction in
      for number in 0..<(Int(words[3]) ?? 0) { try transaction.add(item("item\(number)")) }
    }
  case ("add", 4):
    let vault = try open(words[1], words[2])
    for number in 0..<(Int(words[3]) ?? 0) { try vault.add(item("a\(getpid())n\(number)")) }
  case ("find", 5):
    let ratios = try find(
      open(words[1], words[3]), open(words[2], words[3]), Int(words[4]) ?? 1)
    print(ratios.map { "\($0)" }.joined(separator: " "))
  case ("turns", 5...):
    let vaults = try words.dropFirst(3).map { path in try open(path, words[1]) }
    let pairs = stride(from: 0, to: vaults.count - 1, by: 2).map { (vaults[$0], vaults[$0 + 1]) }
    try turns(pairs, rounds: Int(words[2]) ?? 1)
  case ("write", 4...):
    let seconds = Int(words[1]) ?? 1
    let vaults = try words.dropFirst(3).map { path in try open(path, words[2]) }
    print(Double(try await write(vaults, for: .seconds(seconds))) / Double(seconds))
  case ("machines", 3): try admit(Int(words[2]) ?? 1, in: words[1])
  default:
    print("fleet-bench: see its source")
    exit(64)
  }
} catch {
  print("fleet-bench: \(error)")
  exit(1)
}
