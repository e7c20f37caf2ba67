import Foundation
import Glibc
import ProgramTesting
import Testing

/// A session bus of one test, in a sandbox with a vault; the bus starts the service.
///
/// It ends with this object, and the service with it.
final class PrivateBus {
  struct DidNotStart: Error {}

  /// The path of the service's program.
  static var service: String { Project.products.appending(path: "vaultctl-secret-service").path }

  let sandbox: Sandbox
  private let program: RunningProgram
  private let environment: [String: String]
  /// Whether the vault is locked before each command.
  private let locksFirst: Bool
  /// The folder of the session that is shared, which has to be in memory.
  private let memory: String?

  /// - Parameters:
  ///   - idle: The seconds after which the service ends.
  ///   - passphrase: The vault's; nil makes a vault with a key file.
  ///   - pinentry: A script that is run as pinentry; it reads commands and answers them. Nil is a
  ///     pinentry that does not exist.
  ///   - sharesSession: Whether there is a folder for a session that programs share.
  ///   - locksFirst: Whether the vault is locked before each command; programs in which tests run
  ///     are told.
  ///   - service: The path of the service's program.
  /// - Throws: ``DidNotStart``, and any error of making the sandbox.
  init(
    idle: Int = 2, passphrase: String? = nil, pinentry: String? = nil, sharesSession: Bool = false,
    locksFirst: Bool = false, service: String = PrivateBus.service
  ) throws {
    self.locksFirst = locksFirst
    sandbox = try Sandbox()
    var variables = sandbox.environment
    let home = sandbox.home.path
    variables["XDG_DATA_HOME"] = "\(home)/data"
    variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(home)/bus"
    // The kernel's keyring belongs to the user, whom all tests share.
    variables["VAULTCTL_REMEMBER"] = "no"
    if let passphrase {
      variables["VAULTCTL_KEY_FILE"] = nil
      let words = ["vaultctl", "init", "--passphrase-file", "\(home)/passphrase"]
      let written = try sandbox.run(
        "sh", "-c", "umask 077; cat >passphrase", input: passphrase)
      #expect(written.status == 0, "\(written.errors)")
      let made = try sandbox.run(words, environment: ["VAULTCTL_KEY_FILE": nil])
      #expect(made.status == 0, "\(made.errors)")
    } else {
      #expect(try sandbox.makeVault().status == 0)
    }
    variables["VAULTCTL_PINENTRY"] = "\(home)/missing"
    if let pinentry {
      variables["VAULTCTL_PINENTRY"] = try sandbox.makeProgram("pinentry", pinentry)
    }
    memory = sharesSession ? "/dev/shm/vaultctl-test-\(UUID().uuidString)" : nil
    if let memory {
      variables["XDG_RUNTIME_DIR"] = memory
      try FileManager.default.createDirectory(
        atPath: memory, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let services = sandbox.home.appending(path: "data/dbus-1/services")
    try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
    try Data(
      """
      [D-BUS Service]
      Name=org.freedesktop.secrets
      Exec=\(service) --idle \(idle)

      """.utf8
    ).write(to: services.appending(path: "org.freedesktop.secrets.service"))
    environment = variables
    program = try Self.start(sandbox, variables)
  }

  deinit {
    // A leftover of a test is not worth failing for.
    if let memory { try? FileManager.default.removeItem(atPath: memory) }
    program.end()
  }

  /// Starts the bus, which says its address when it can be used.
  private static func start(
    _ sandbox: Sandbox, _ variables: [String: String]
  ) throws -> RunningProgram {
    let output = Pipe()
    let errors = FileHandle(forWritingAtPath: "/dev/null") ?? .standardError
    let program = try withExtendedLifetime((output, errors)) {
      try RunningProgram(
        [
          "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
          "--address=\(variables["DBUS_SESSION_BUS_ADDRESS"] ?? "")",
        ], environment: variables, folder: sandbox.home.path, input: STDIN_FILENO,
        output: output.fileHandleForWriting.fileDescriptor, errors: errors.fileDescriptor)
    }
    try output.fileHandleForWriting.close()
    guard let line = try output.fileHandleForReading.read(upToCount: 1), !line.isEmpty else {
      _ = try program.wait()
      throw DidNotStart()
    }
    return program
  }

  /// Runs a program as a client of the bus.
  func run(
    _ words: [String], input: String = "", environment changes: [String: String?] = [:],
    limit: Int = 120
  ) throws -> Sandbox.Result {
    var variables: [String: String?] = ["VAULTCTL_KEY_FILE": nil]
    for (name, value) in environment { variables[name] = value }
    if locksFirst {
      variables["LOCKS_FIRST"] = "yes"
      let locked = try sandbox.run(Clients.script("lock.py"), environment: variables, limit: limit)
      #expect(locked.status == 0, "\(locked.output)\(locked.errors)")
    }
    for (name, value) in changes { variables[name] = value }
    return try sandbox.run(words, input: input, environment: variables, limit: limit)
  }

  func run(_ words: String..., input: String = "") throws -> Sandbox.Result {
    try run(words, input: input)
  }
}

extension PrivateBus {
  private static let passphrase = "correct horse"

  /// A pinentry that types the passphrase.
  static let typing = pinentry("echo D correct%20horse; echo OK")

  /// Returns a pinentry that answers as Assuan has it; `$answer` is what it says when it is asked.
  static func pinentry(_ answer: String) -> String {
    """
    #!/bin/sh
    echo OK ready
    while read -r command rest; do
      case $command in
      OPTION) echo ERR 1 unknown option ;;
      SETDESC) echo "$rest" >"$HOME/described"; echo OK ;;
      GETPIN) \(answer) ;;
      BYE) exit ;;
      *) echo OK ;;
      esac
    done
    """
  }

  /// Makes a bus whose vault has a passphrase, which a person types at each prompt.
  convenience init(typing pinentry: String?, locksFirst: Bool = false) throws {
    try self.init(passphrase: Self.passphrase, pinentry: pinentry, locksFirst: locksFirst)
  }

  /// Makes a bus for a client: with a key file, or locked before each of its commands.
  convenience init(isLocked: Bool) throws {
    if isLocked { try self.init(typing: Self.typing, locksFirst: true) } else { try self.init() }
  }

  /// Compiles a C program with libsecret.
  ///
  /// - Returns: The program.
  func compile(_ source: String) throws -> String {
    let program = sandbox.folder.appending(path: "client").path
    let words = "cc -o \"$0\" \"$1\" $(pkg-config --cflags --libs libsecret-1 glib-2.0)"
    let compiled = try sandbox.run(["sh", "-c", words, program, source])
    #expect(compiled.status == 0, "\(compiled.errors)")
    return program
  }

  /// Runs a command that opens the vault itself.
  func vaultctl(_ words: [String], input: String = "") throws -> Sandbox.Result {
    try run(words, input: input, environment: ["VAULTCTL_PASSPHRASE": Self.passphrase])
  }
}

/// The folder that `Scripts/servers` unpacks for these tests.
enum Clients {
  private static let servers = Project.root.appending(path: ".build/servers")
  private static let python = servers.appending(path: "secret-service-clients")

  /// The folder of the programs with our scripts.
  private static let programs = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Programs")

  /// Returns the path of a file of ours.
  static func file(_ name: String) -> String { programs.appending(path: name).path }

  /// Returns the words that run a script of ours.
  static func script(_ name: String, _ arguments: String...) -> [String] {
    [python.appending(path: "bin/python").path, "-B", programs.appending(path: name).path]
      + arguments
  }

  /// Returns the words that run tests of ours that pytest collects.
  static func suite(_ name: String) -> [String] {
    [
      python.appending(path: "bin/python").path, "-B", "-m", "pytest", "-q", "-p",
      "no:cacheprovider", programs.appending(path: name).path,
    ]
  }

  /// Returns the words that run a program of an unpacked package with the libraries beside it.
  static func program(_ name: String, of package: String) throws -> [String] {
    let root = servers.appending(path: "\(package)/usr")
    let libraries = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter { $0.hasPrefix("lib/") && $0.hasSuffix("-linux-gnu") }
      .map { root.appending(path: $0).path }
    return [
      "env", "LD_LIBRARY_PATH=\(libraries.joined(separator: ":"))",
      root.appending(path: "bin/\(name)").path,
    ]
  }
}
