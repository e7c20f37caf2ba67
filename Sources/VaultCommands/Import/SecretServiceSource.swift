import VaultTerminal
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// The items of a running Secret Service, which another program asks for: this one knows no bus.
enum SecretServiceSource {
  /// Returns the items as an export, in guarded memory, and the number of its bytes.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the program is not installed, or fails and has
  ///   said why; as ``PipedInput/read(_:)``.
  static func read(_ invocation: Invocation) throws(VaultError) -> (bytes: ByteSource, count: Int) {
    let program = OtherProgram.secretService
    let path = try program.requirePath(invocation)
    let pipe = try ChildPipe()
    defer { close(pipe.readEnd) }
    let child = Result { () throws(VaultError) in
      try ChildProcess(
        [program.name, "--export"], at: path, output: .descriptor(pipe.writeEnd),
        errors: .inherited)
    }
    close(pipe.writeEnd)
    let running = try child.get()
    let input = try PipedInput.read(pipe.readEnd)
    guard try running.end() == 0 else {
      throw VaultError(.unavailable, "\(program.name) could not read the Secret Service")
    }
    return input
  }
}
