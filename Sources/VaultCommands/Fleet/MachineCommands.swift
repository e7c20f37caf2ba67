import VaultAdministration
import VaultModel

/// The actions of `vaultctl fleet` about machines and their keys.
///
/// They need no server of their own: on a replica, those that write are run by the program that
/// asks it.
enum MachineCommands {
  private static let all = ["begin", "join", "admit", "remove", "machines", "log", "head"]

  /// Runs one of the actions.
  ///
  /// - Returns: Whether the action is one of these.
  static func run(_ invocation: Invocation) throws(VaultError) -> Bool {
    let (action, inner) = invocation.takingAction()
    let operands = inner.arguments.operands
    switch (action, operands.count) {
    case ("begin", 0): try begin(inner)
    case ("join", 1...): try join(operands, inner)
    case ("admit", 1...): try admit(operands, inner)
    case ("remove", 1...): try MachineRemoval.run(operands, inner)
    case ("machines", 0): try list(inner)
    case ("log", 0): try FleetLog.run(inner)
    case ("head", 0): try head(inner)
    case (let action?, 0) where ["join", "admit", "remove"].contains(action):
      throw VaultError(
        .invalidArgument, "fleet \(action) needs \(action == "remove" ? "NAME" : "LINE")")
    case (let action?, _) where all.contains(action):
      throw VaultError(.invalidArgument, "unexpected argument")
    default: return false
    }
    return true
  }

  private static func begin(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let path = try newKeyFile(nil, invocation)
    let isNew = !KeyFile.isPresent(at: path)
    let machine = try vault.keys.machines.begin(keyFile: path, name: invocation.machineName())
    let line = try vault.keys.machines.adminKey()
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("machine", machine)
        try json.field("key_file", path)
        try json.field("admin_key", line)
        try json.field("fingerprint", MachineKeyFile.fingerprint(of: line))
      }
    }
    try write(line, path, isNew: isNew, invocation)
    if Environment.value("VAULTCTL_KEY_FILE") != nil {
      try invocation.hint("set VAULTCTL_KEY_FILE to \(path): on a fleet, machines alone write")
    }
  }

  private static func join(_ lines: [String], _ invocation: Invocation) throws(VaultError) {
    let prints = try fingerprints(of: lines, invocation)
    for (line, print) in zip(lines, prints) {
      try invocation.requireFingerprint(
        of: line, "the vault's admin key", question: "Join this machine to it", named: print)
    }
    // A key file that is named opens every vault, so this has to be it.
    let path = try newKeyFile(Environment.value("VAULTCTL_KEY_FILE"), invocation)
    let isNew = !KeyFile.isPresent(at: path)
    var request = ""
    for line in lines {
      request = try MachineKeyFile.create(
        at: path, name: invocation.machineName(), adminKey: line)
    }
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("key_file", path)
        try json.field("request", request)
        try json.field("fingerprint", MachineKeyFile.fingerprint(of: request))
      }
    }
    try write(request, path, isNew: isNew, invocation)
  }

  private static func admit(_ lines: [String], _ invocation: Invocation) throws(VaultError) {
    func name(_ line: String) -> String {
      line.split(separator: "-", maxSplits: 2).dropFirst(2).first.map(String.init) ?? ""
    }
    let prints = try fingerprints(of: lines, invocation)
    let isAdmin = invocation.arguments.has(.admin)
    let question = isAdmin ? "Admit it as an admin" : "Admit it"
    for (line, print) in zip(lines, prints) {
      try invocation.requireFingerprint(
        of: line, "the machine \(name(line))", question: question, named: print)
    }
    let (vault, key) = try invocation.openAsAdmin()
    let machines = try vault.keys.machines.admit(all: lines, asAdmin: isAdmin, with: key)
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field(machines)
      }
    }
    guard !invocation.isQuiet else { return }
    for machine in machines { try invocation.output.line("admitted \(machine.text)") }
  }

  private static func list(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let machines = try vault.keys.machines.list()
    let admin: String? = machines.isEmpty ? nil : try vault.keys.machines.adminKey()
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        if let admin {
          try json.field("admin_key", admin)
          try json.field("fingerprint", MachineKeyFile.fingerprint(of: admin))
        }
        try json.field(machines)
      }
    }
    if let admin {
      try invocation.output.line("admin key: \(admin)")
      try invocation.output.line("fingerprint: \(MachineKeyFile.fingerprint(of: admin))")
    }
    for machine in machines { try invocation.output.line(machine.text) }
  }

  private static func head(_ invocation: Invocation) throws(VaultError) {
    let head = try invocation.openVault().headHash()
    let words = GeneratedSecret.words(for: head.hash)
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("generation", head.generation)
        try json.field("words", words)
      }
    }
    try invocation.output.line("generation \(head.generation): \(words)")
  }

  // MARK: Helpers

  /// Returns the fingerprint that was named for each line; nil to ask.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if some are named, and not all.
  private static func fingerprints(
    of lines: [String], _ invocation: Invocation
  ) throws(VaultError) -> [String?] {
    let prints = invocation.arguments.texts(.fingerprint)
    guard !prints.isEmpty else { return lines.map { _ in nil } }
    guard prints.count == lines.count else {
      throw VaultError(
        .invalidArgument, "each line needs its fingerprint: \(lines.count) lines, \(prints.count)")
    }
    return prints
  }

  /// Returns the place of this machine's key file, whose folder exists then.
  private static func newKeyFile(
    _ named: String?, _ invocation: Invocation
  ) throws(VaultError) -> String {
    if let path = invocation.arguments.text(.newKeyFile) { return path }
    guard let standard = named ?? KeyFile.machinePath else {
      throw VaultError(.configuration, "there is no place for a key file: --new-key-file names one")
    }
    try KeyFile.makeFolder(of: standard)
    return standard
  }

  /// Prints a line that another machine needs, with what people compare of it.
  private static func write(
    _ line: String, _ keyFile: String, isNew: Bool, _ invocation: Invocation
  ) throws(VaultError) {
    if !invocation.isQuiet {
      try invocation.output.line("\(isNew ? "created key file" : "this machine's key:") \(keyFile)")
    }
    try invocation.output.line(line)
    if !invocation.isQuiet {
      try invocation.output.line("fingerprint: \(MachineKeyFile.fingerprint(of: line))")
    }
  }
}
