import ChildPrograms
import Glibc
import SecureMemory
import VaultModel

extension ChildProcess {
  /// Runs a program without input to its end.
  ///
  /// - Parameters:
  ///   - words: As in ``init(_:at:input:output:errors:leadsGroup:)``.
  ///   - errors: Its standard error.
  /// - Returns: Its exit status, as ``end(within:)`` returns it, and its output.
  /// - Throws: As these; ``VaultError/Code/tooLarge`` above 1 MiB.
  static func run(
    _ words: [String], errors: Stream = .none
  ) throws(VaultError) -> (status: Int32, output: Secret) {
    let pipe = try ChildPipe()
    let child = Result { () throws(VaultError) in
      try ChildProcess(words, output: .descriptor(pipe.writeEnd), errors: errors)
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
