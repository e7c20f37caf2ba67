import Glibc
import VaultModel

/// Another program, run to its end without input, whose output is not secret.
enum InstalledProgram {
  private static let longestOutput = 1 << 16

  /// The variables that the program gets: none of ours, which may hold a passphrase.
  private static let variables = ["HOME", "PATH", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"]

  /// Returns the path of a program; nil if no absolute folder of `$PATH` has it.
  static func path(of program: String) -> String? {
    for folder in (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":") {
      let path = "\(folder)/\(program)"
      // Not the current folder, where anybody may have put it. A C string during the call.
      if folder.hasPrefix("/"), unsafe access(path, X_OK) == 0 { return path }
    }
    return nil
  }

  /// Runs a program with a minimal environment and its messages discarded.
  ///
  /// - Parameters:
  ///   - program: Its name; it is looked for in `$PATH`.
  ///   - arguments: The words after its name.
  /// - Returns: Its exit status, 128 and the number if a signal ended it; and its output, of which
  ///   the first 64 KiB are kept.
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed or cannot be started.
  static func run(
    _ program: String, _ arguments: [String]
  ) throws(VaultError) -> (status: Int32, output: String) {
    guard let path = path(of: program) else {
      throw VaultError(.unavailable, "\(program) is not installed")
    }
    var ends: [Int32] = [-1, -1]
    // Two descriptors into an array of two.
    guard unsafe pipe(&ends) == 0 else {
      throw VaultError(.unavailable, program, underlying: .errno(errno))
    }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let started = start(path, [program] + arguments, output: ends[1])
    close(ends[1])
    guard case .success(let child) = started else {
      throw VaultError(.unavailable, "\(program) cannot be started")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // Into an array, up to its count.
      let count = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe read(ends[0], buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      if bytes.count < longestOutput { bytes += buffer.prefix(count) }
    }
    var status: Int32 = 0
    // A variable of ours.
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else {
        throw VaultError(.unavailable, program, underlying: .errno(errno))
      }
    }
    let signal = status & 0x7F
    return (
      signal == 0 ? status >> 8 & 0xFF : 128 + signal, String(decoding: bytes, as: UTF8.self)
    )
  }

  private struct Failure: Error {}

  private static func start(
    _ path: String, _ words: [String], output: Int32
  ) -> Result<pid_t, Failure> {
    var actions = unsafe posix_spawn_file_actions_t()
    // Ours until the end; the strings are copied by the calls.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let settings = variables.compactMap { name in
      Environment.value(name).map { "\(name)=\($0)" }
    }
    // Copies that live until the child has been started, longer than posix_spawn uses them.
    var argv = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe (settings + ["LC_ALL=C"]).map { unsafe strdup($0) } + [nil]
    defer {
      for index in words.indices { unsafe free(argv[index]) }
      for index in 0...settings.count { unsafe free(environment[index]) }
    }
    var child: pid_t = 0
    // Both arrays end with nil.
    let status = unsafe posix_spawn(&child, path, &actions, nil, &argv, &environment)
    return status == 0 ? .success(child) : .failure(Failure())
  }
}
