import Foundation
import ProgramTesting

/// The built program, run in a folder of its own.
final class ProgramFixture {
  let folder: URL
  /// A folder in memory, as that of a login is; scripts know it as `$MEMORY`.
  let memory: URL
  private let variables: [String: String]

  static var program: URL { Project.products.appending(path: "vaultctl") }

  struct Outcome {
    /// The exit status, or 128 and the number of the signal that ended the program.
    var status: Int32
    var wasSignalled: Bool { status > 128 }
    var output: Data
    var messages: Data
    var shown: String
    var echoesAtEnd: Bool
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "vaultctl-\(UUID().uuidString)")
    memory = URL(filePath: "/dev/shm/\(folder.lastPathComponent)")
    try FileManager.default.createDirectory(
      at: memory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let limited = folder.appending(path: "limited")
    try FileManager.default.createDirectory(at: limited, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: limited.appending(path: "vaultctl"), withDestinationURL: Project.limitedProgram)
    let others = [
      "postgres-server": Project.root.appending(path: "Scripts/postgres-server"),
      "keyring-tool": Project.products.appending(path: "KeyringTool"),
      "asking-tool": Project.products.appending(path: "AskingTool"),
    ]
    variables = try ProgramEnvironment.make(
      in: folder, home: folder, bin: Project.programs.merging(others) { $1 },
      [
        "WORK": folder.path, "MEMORY": memory.path, "LC_ALL": "C",
        "VAULTCTL_VAULT": "\(folder.path)/vault", "VAULTCTL_KEY_FILE": "\(folder.path)/key",
        "XDG_STATE_HOME": "\(folder.path)/state",
      ])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
    try? FileManager.default.removeItem(at: memory)
  }

  /// Runs a command of the shell in a session of its own, with a terminal or without any.
  func run(
    _ command: String, terminal dialogue: [(shown: String, typed: String?)]? = nil
  ) throws -> Outcome {
    let terminal = try dialogue.map { _ in try PseudoTerminal() }
    // Files, and not pipes, so that nobody waits for a reader.
    let outputs = try ["stdout", "stderr"].map { name in
      let file = folder.appending(path: ".\(name)")
      try Data().write(to: file)
      return try FileHandle(forWritingTo: file)
    }
    let input = terminal?.slave ?? FileHandle.nullDevice
    // A handle closes its file when it is released, which may be after its last use.
    let program = try withExtendedLifetime((input, outputs)) {
      // At a terminal `timeout` would pass on the SIGINT that the terminal sends to both.
      try RunningProgram(
        (terminal == nil ? ["timeout", "--foreground", "--signal=KILL", "120"] : [])
          + ["/bin/sh", "-c", command],
        environment: variables, folder: folder.path,
        input: input.fileDescriptor, output: outputs[0].fileDescriptor,
        errors: outputs[1].fileDescriptor, hasTerminal: terminal != nil)
    }
    let end = ContinuousClock.now + .seconds(120)
    try terminal?.hold(dialogue ?? []) {
      if ContinuousClock.now > end { program.terminate() }
      return try program.isRunning
    }
    let status = try program.wait()
    return Outcome(
      status: status,
      output: try Data(contentsOf: folder.appending(path: ".stdout")),
      messages: try Data(contentsOf: folder.appending(path: ".stderr")),
      shown: terminal?.shown ?? "", echoesAtEnd: terminal?.echoes ?? true)
  }
}
