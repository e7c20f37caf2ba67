import VaultTerminal
import Glibc
import SecureMemory
import VaultModel
import VaultStore

extension ChildProcess {
  /// Runs a program without input to its end.
  ///
  /// - Parameters:
  ///   - words: As in ``init(_:at:input:output:errors:leadsGroup:)``.
  ///   - path: As there; nil finds the name in an absolute folder of the PATH.
  ///   - errors: Its standard error.
  ///   - mergesErrors: Whether its standard error is part of the output instead.
  /// - Returns: Its exit status, as ``end(within:)`` returns it, and its output.
  /// - Throws: As these; ``VaultError/Code/unavailable`` if it is not installed;
  ///   ``VaultError/Code/tooLarge`` above 1 MiB.
  static func run(
    _ words: [String], at path: String? = nil, errors: Stream = .none, mergesErrors: Bool = false
  ) throws(VaultError) -> (status: Int32, output: Secret) {
    // Not with `??`, whose closure throws any error.
    let path = if let path { path } else { try InstalledProgram.requirePath(of: words[0]) }
    let pipe = try ChildPipe()
    let child = Result { () throws(VaultError) in
      let output = Stream.descriptor(pipe.writeEnd)
      return try ChildProcess(
        words, at: path, output: output, errors: mergesErrors ? output : errors)
    }
    close(pipe.writeEnd)
    // If nothing was started, reading ends at once.
    let output = Result { () throws(VaultError) in
      try SecretInput.readAll(from: pipe.readEnd)
    }
    // Before waiting for the program: a write to the closed pipe ends it.
    close(pipe.readEnd)
    return (try child.get().end(), try output.get())
  }
}
