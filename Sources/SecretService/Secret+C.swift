import SecureMemory

extension Secret {
  /// Calls `body` with the bytes for C, which are valid until it returns.
  @unsafe func withOctets<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withRawBytes { bytes in
      // Bytes, whatever they are, and bound to nothing else meanwhile.
      unsafe bytes.withUnsafeBytes { unsafe body($0.bindMemory(to: UInt8.self)) }
    }
  }
}
