import Glibc

/// One run of libFuzzer, which has the program's `main` and calls one function of it:
/// <https://llvm.org/docs/LibFuzzer.html>.
public enum Fuzzing: Sendable {
  /// Runs the target that `VAULT_FUZZ_TARGET` names over an input; a broken promise ends the
  /// process, and libFuzzer keeps the input.
  public static func run(
    _ targets: [FuzzTarget], _ bytes: UnsafePointer<UInt8>?, _ count: Int
  ) {
    // The environment is not changed while it is read.
    guard let name = unsafe getenv("VAULT_FUZZ_TARGET"),
      case let wanted = unsafe String(cString: name),
      let target = targets.first(where: { $0.name == wanted })
    else { fail("VAULT_FUZZ_TARGET names no target") }
    do {
      // libFuzzer's bytes, valid during the call; they are copied.
      _ = try target.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
      fail("\(target.name): \(error)")
    }
  }

  private static func fail(_ message: String) -> Never {
    let line = Array("finding: \(message)\n".utf8)
    // As many bytes are written as there are.
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    abort()
  }
}
