import CVault

/// Objects of the small CoreFoundation, for rows.
///
/// Safe: strings are constants that are never freed, and what is made here is released here.
@safe enum CF {
  static func string(_ text: String) -> VaultCFStringRef? {
    // The text is a C string during the call.
    unsafe VaultCFConstantString(text)
  }

  /// Returns the text of a string; empty for anything else.
  @unsafe static func text(_ string: UnsafeRawPointer?) -> String {
    let encoding = VaultCFStringEncoding(kVaultCFStringEncodingUTF8)
    return unsafe VaultCFStringGetCStringPtr(OpaquePointer(string), encoding)
      .map { unsafe String(cString: $0) } ?? ""
  }

  static func data(_ bytes: [UInt8]) -> VaultCFDataRef? {
    unsafe VaultCFDataCreate(nil, bytes, bytes.count)
  }

  /// Calls `body` with what `VaultPKCS12Import` returns.
  @safe static func importing<R>(
    _ file: [UInt8], _ passphrase: String, _ body: (VaultCFArrayRef?) throws -> R
  ) throws -> R {
    // Without callbacks: both are constants, and the key is one for each text.
    let options = unsafe VaultCFDictionaryCreateMutable(nil, 0, nil, nil)
    unsafe VaultCFDictionarySetValue(
      options, UnsafeRawPointer(string("passphrase")), UnsafeRawPointer(string(passphrase)))
    let data = unsafe data(file)
    defer {
      unsafe VaultCFRelease(UnsafeRawPointer(options))
      unsafe VaultCFRelease(UnsafeRawPointer(data))
    }
    var items: OpaquePointer?
    try check(unsafe VaultPKCS12Import(data, options, &items))
    defer { unsafe VaultCFRelease(UnsafeRawPointer(items)) }
    return try unsafe body(items)
  }
}
