import CIDN2

extension HostName {
  /// Returns the A-labels of an internationalised name; also checks A-labels, which it returns
  /// unchanged.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not UTF-8 or IDNA refuses it.
  static func asciiLabels(_ name: [UInt8]) throws(VaultError) -> [UInt8] {
    // NFC and punycode cost more than linear time; no valid name needs more room than this.
    guard name.count <= 1024, !name.contains(0) else {
      throw VaultError(
        .invalidArgument, "host: an internationalised name that is too long or holds NUL")
    }
    let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    var output: UnsafeMutablePointer<CChar>? = nil
    // SAFETY: the input ends with the NUL appended here and is only read during the call; the
    // output, set only on success, is a NUL-terminated string that is ours to free.
    let status = unsafe (name + [0]).withUnsafeBytes { input in
      unsafe idn2_to_ascii_8z(
        input.baseAddress?.assumingMemoryBound(to: CChar.self), &output, flags)
    }
    guard status == IDN2_OK.rawValue, let ascii = unsafe output else {
      throw VaultError(
        .invalidArgument, "host: not a valid internationalised name (\(reason(status)))")
    }
    // SAFETY: as above; the bytes are copied before they are freed.
    defer { unsafe idn2_free(ascii) }
    return unsafe Array(String(cString: ascii).utf8)
  }

  /// Returns libidn2's name for a status, such as `IDN2_DISALLOWED`.
  private static func reason(_ status: Int32) -> String {
    // SAFETY: the result is a static NUL-terminated string, or NULL for an unknown status.
    guard let name = unsafe idn2_strerror_name(status) else { return "status \(status)" }
    return unsafe String(cString: name)
  }
}
