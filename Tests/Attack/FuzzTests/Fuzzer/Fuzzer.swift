import Glibc

// libFuzzer has the program's `main`, and calls this one function:
// <https://llvm.org/docs/LibFuzzer.html>.

/// The target that `VAULT_FUZZ_TARGET` names.
private let target: FuzzTarget? = {
  // The environment is not changed while it is read.
  guard let name = unsafe getenv("VAULT_FUZZ_TARGET") else { return nil }
  let wanted = unsafe String(cString: name)
  return FuzzTarget.all.first { $0.name == wanted }
}()

/// Runs the target over an input; a broken promise ends the process, and libFuzzer keeps the input.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target else { fail("VAULT_FUZZ_TARGET names no target") }
  do {
    // libFuzzer's bytes, valid during the call; they are copied.
    _ = try target.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fail("\(target.name): \(error)")
  }
  return 0
}

private func fail(_ message: String) -> Never {
  let line = Array("finding: \(message)\n".utf8)
  // As many bytes are written as there are.
  _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  abort()
}
