import FuzzTesting

/// The function that libFuzzer calls.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // libFuzzer's bytes, valid during the call.
  unsafe Fuzzing.run(FuzzTarget.all, bytes, count)
  return 0
}
