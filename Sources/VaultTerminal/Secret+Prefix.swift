package import SecureMemory

extension Secret {
  /// Returns the first bytes, as a secret of their own.
  package func prefix(_ count: Int) -> Secret {
    withRawBytes { bytes in Secret(copying: bytes.extracting(first: count)) }
  }
}
