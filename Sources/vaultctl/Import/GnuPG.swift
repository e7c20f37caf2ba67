import CProcess
import Glibc
import SecureMemory
import VaultModel

/// Runs gpg, which decrypts a file and writes the text to a pipe.
struct GnuPG {
  /// Whether gpg's agent may prompt for the passphrase of its key.
  private let mayPrompt: Bool

  init(mayPrompt: Bool) {
    self.mayPrompt = mayPrompt
  }

  /// Returns the text of a file.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if gpg cannot be run;
  ///   ``VaultError/Code/invalidData`` if it fails, and says why on standard error;
  ///   ``VaultError/Code/tooLarge`` above 1 MiB.
  func decrypt(_ path: String) throws(VaultError) -> Secret {
    var ends: [Int32] = [-1, -1]
    // The array has room for both ends.
    guard unsafe pipe(&ends) == 0 else {
      throw VaultError(.unavailable, "a pipe for gpg", underlying: .errno(errno))
    }
    let (readEnd, writeEnd) = (ends[0], ends[1])
    // Nobody starts another process meanwhile.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do throws(VaultError) {
      process = try start(path, output: writeEnd)
    } catch {
      close(readEnd)
      close(writeEnd)
      throw error
    }
    close(writeEnd)
    // Closed before gpg is waited for: one that still writes ends by that.
    let text = SecretRead { () throws(VaultError) in
      defer { close(readEnd) }
      return try SecretInput.readAll(from: readEnd)
    }
    var status: Int32 = 0
    // The process is this one's child, and nobody else waits for it.
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    let secret = try text.get()
    guard status == 0 else { throw VaultError(.invalidData, "gpg cannot decrypt it") }
    return secret
  }

  private func start(_ path: String, output: Int32) throws(VaultError) -> pid_t {
    // A path that begins with a hyphen is no option: it follows "--".
    var arguments = ["gpg", "--quiet", "--batch", "--yes", "--no-verbose", "--decrypt"]
    if !mayPrompt { arguments.insert("--pinentry-mode=error", at: 1) }
    arguments += ["--", path]
    // The structure is ours from here to its destruction, and the path is a literal.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // As above; gpg gets the signal that this program ignores.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // Each string is a copy of ours that ends with NUL, freed after the call, which copies them.
    let words = unsafe arguments.map { unsafe strdup($0) }
    let environment = unsafe Environment.withoutOurs()
    defer {
      for index in 0..<(unsafe words.count) { unsafe free(words[index]) }
      for index in 0..<(unsafe environment.count) { unsafe free(environment[index]) }
    }
    var process: pid_t = 0
    let result = unsafe posix_spawnp(
      &process, "gpg", &actions, &attributes, words + [nil], environment + [nil])
    guard result == 0 else {
      throw VaultError(.unavailable, "gpg cannot be run", underlying: .errno(result))
    }
    return process
  }
}

/// The result of a read, kept while the process that wrote it is waited for.
private enum SecretRead {
  case secret(Secret)
  case failure(VaultError)

  init(_ read: () throws(VaultError) -> Secret) {
    do throws(VaultError) {
      self = .secret(try read())
    } catch {
      self = .failure(error)
    }
  }

  func get() throws(VaultError) -> Secret {
    switch self {
    case .secret(let secret): return secret
    case .failure(let error): throw error
    }
  }
}

extension Environment {
  /// Returns copies of the variables, without those that unlock vaults; the caller frees them.
  fileprivate static func withoutOurs() -> [UnsafeMutablePointer<CChar>?] {
    var copies: [UnsafeMutablePointer<CChar>?] = unsafe []
    // The system's list of strings that end with NUL, ended by nil, which nobody changes.
    var next = unsafe vaultctl_environment()
    while let variable = unsafe next?.pointee {
      if unsafe strncmp(variable, "VAULTCTL_", 9) != 0 { unsafe copies.append(strdup(variable)) }
      unsafe next = next?.advanced(by: 1)
    }
    return unsafe copies
  }
}
