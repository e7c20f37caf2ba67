import AttackSupport
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// Adds `count` pairs of items, each pair in one transaction.
func add(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let name = arguments["name"]
  for number in 0..<arguments.number("count") {
    try vault.writing { (transaction) throws(VaultError) in
      try transaction.add(Workload.item("left-\(name)-\(number)", "\(number)"))
      try transaction.add(Workload.item("right-\(name)-\(number)", "\(number)"))
    }
  }
  say("done")
}

/// Reads until a line arrives: counts never fall, and each pair is complete.
func read(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
  var (rounds, last) = (0, 0)
  // One descriptor is asked for, without waiting.
  while unsafe poll(&input, 1, 0) == 0 {
    let accounts = Set(try vault.findAll(ItemQuery(), withSecrets: rounds % 4 == 0).map(\.account))
    guard accounts.count >= last else { return say("fewer items than before") }
    last = accounts.count
    for account in accounts where account.hasPrefix("left-") {
      guard accounts.contains("right-" + account.dropFirst(5)) else { return say("a torn pair") }
    }
    rounds += 1
  }
  say("good \(rounds)")
}

/// Keeps a write transaction open until a line arrives.
func hold(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  try vault.writing { (transaction) throws(VaultError) in
    try transaction.add(Workload.item("held", "held"))
    say("holding")
    _ = readLine()
  }
  say("done")
}

/// Prints the rules at each line, after it has added one of that name, if it names one.
func rules(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  while let name = readLine() {
    if !name.isEmpty {
      try vault.policy.change { $0.append(PersistencePolicy.Rule(name: name)) }
    }
    say(try vault.policy.current().rules.map(\.name).joined(separator: " "))
  }
}

/// Creates a vault, once a line arrives, so that many begin together.
func create(_ arguments: Arguments) throws(VaultError) {
  say("ready")
  _ = readLine()
  let vault = try Vault.create(path: arguments["vault"], key: .keyFile(arguments["key"]))
  try vault.add(Workload.item("first", "first"))
  say("done")
}

/// Opens, reads and writes, as another user or with fewer resources, and prints the results.
func probe(_ arguments: Arguments) throws(VaultError) {
  let files = arguments.number("files", default: -1)
  if files >= 0 {
    var limit = rlimit(rlim_cur: rlim_t(files), rlim_max: rlim_t(files))
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      exit(71)
    }
  }
  become(arguments)
  let outcome = Result { () throws(VaultError) in try arguments.openVault() }
  guard case .success(let vault) = outcome else { return say(name(outcome)) }
  say("open")
  say(name(Result { () throws(VaultError) in try vault.findAll(ItemQuery(), withSecrets: true) }))
  say(name(Result { () throws(VaultError) in try vault.add(Workload.item("probe", "probe")) }))
}

/// Becomes the named user, whom permissions bind.
func become(_ arguments: Arguments) {
  let user = arguments.number("user", default: -1)
  if user >= 0, setgid(gid_t(user)) != 0 || setuid(uid_t(user)) != 0 { exit(77) }
}

private func name<T>(_ result: Result<T, VaultError>) -> String {
  switch result {
  case .success: "done"
  case .failure(let error): "\(error.code)"
  }
}
