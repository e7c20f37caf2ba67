import CVault
import Glibc
import TestSupport

/// The objects of CoreFoundation and the messages of CFNetwork that programs for the keychain use.
enum ObjectRows {
  static let rows: [Row] = [
    row("object.owners", "Objects and handles count owners.", owners, "1 2 1"),
    row(
      "object.sorted", "Arrays are copied, changed and sorted.", sorted, "a b, b a"),
    row(
      "object.uuid", "Text makes a UUID.", uuid,
      "ABABABAB-ABAB-4BAB-ABAB-ABABABABABAB"),
    row("object.text", "Strings grow and shrink.", text, "ab, b"),
    row("object.nested", "Arrays nest to any depth.", nested, "released"),
    row("object.random", "The default generator fills bytes.", random, "ok, 32"),
    row(
      "object.uncopied", "Data can take over bytes of malloc.", uncopied, "the same bytes"),
    row(
      "object.constant", "A constant is one object, and stays when released.", constant,
      "the same, class"),
    row(
      "object.changed", "An array's values are inserted, replaced, removed.", changed,
      "a b, c b, b"),
    Row(
      "object.deep", .objects, "Comparing values 100,000 deep ends the process.",
      by: .keychain(deep), vault: .inexpressible("Programs have their language's own."),
      compatible: .differs("Beyond 1000 levels nothing is equal.", "unequal"),
      why: "No input crashes."),
    row("message.fields", "A message's fields are a dictionary.", fields, "value"),
    row(
      "message.firewall", "A firewall's 407 gives an authentication.", firewall,
      "CFHTTPAuthentication"),
    row(
      "message.serialized", "A message has a body, copied as sent.", serialized,
      "POST / HTTP/1.1|Host: a.example|X-Name: value||body"),
  ]

  private static func row(
    _ id: String, _ apple: String, _ seen: @escaping @Sendable (KeychainDriver) throws -> String,
    _ expected: String
  ) -> Row {
    Row(
      id, .objects, apple, by: .keychain(seen),
      vault: .inexpressible("Programs have their language's own."), compatible: .same(expected))
  }

  private static func object(_ pointer: OpaquePointer?) -> CFObject {
    // What a function that makes or copies returns has one owner.
    unsafe CFObject(UnsafeRawPointer(pointer))
  }

  private static func owners(_ driver: KeychainDriver) throws -> String {
    // The handle is the driver's, which keeps it.
    let handle = unsafe UnsafeRawPointer(driver.vault)
    let one = unsafe VaultCFGetRetainCount(handle)
    let two = unsafe VaultCFGetRetainCount(VaultCFRetain(handle))
    unsafe VaultCFRelease(handle)
    return unsafe "\(one) \(two) \(VaultCFGetRetainCount(handle))"
  }

  private static func sorted(_ driver: KeychainDriver) throws -> String {
    var callbacks = CFObject.callbacks
    // Each array retains its values, which are constants, until it is released.
    let array = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
    for text in ["b", "a"] {
      unsafe VaultCFArrayAppendValue(array, UnsafeRawPointer(CF.string(text)))
    }
    let copy = unsafe VaultCFArrayCreateMutableCopy(nil, 0, array)
    unsafe VaultCFArraySortValues(
      copy, VaultCFRange(location: 0, length: 2),
      { first, second, _ in
        let (first, second) = unsafe (CF.text(first), CF.text(second))
        return first == second ? 0 : first < second ? -1 : 1
      }, nil)
    return unsafe [object(copy), object(array)].map { array in
      array.use { array in
        (0..<2).map { unsafe CF.text(VaultCFArrayGetValueAtIndex(OpaquePointer(array), $0)) }
          .joined(separator: " ")
      }
    }.joined(separator: ", ")
  }

  private static func uuid(_ driver: KeychainDriver) throws -> String {
    // The text is a constant.
    let text = unsafe CF.string("abababab-abab-4bab-abab-abababababab")
    let uuid = unsafe object(VaultCFUUIDCreateFromString(nil, text))
    return uuid.use { unsafe object(VaultCFUUIDCreateString(nil, OpaquePointer($0))).text }
  }

  private static func text(_ driver: KeychainDriver) throws -> String {
    // The texts are constants, and the string is released at the end.
    let string = unsafe object(VaultCFStringCreateMutable(nil, 0))
    return string.use { pointer in
      unsafe VaultCFStringAppend(OpaquePointer(pointer), CF.string("ab"))
      let before = unsafe CF.text(pointer)
      unsafe VaultCFStringDelete(OpaquePointer(pointer), VaultCFRange(location: 0, length: 1))
      return unsafe seen(before, CF.text(pointer))
    }
  }

  private static func nested(_ driver: KeychainDriver) throws -> String {
    var callbacks = CFObject.callbacks
    // Each array is retained by the next alone, and the last is released here.
    var outer = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
    for _ in 0..<200_000 {
      let next = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
      unsafe VaultCFArrayAppendValue(next, UnsafeRawPointer(outer))
      unsafe VaultCFRelease(UnsafeRawPointer(outer))
      unsafe outer = next
    }
    unsafe VaultCFRelease(UnsafeRawPointer(outer))
    return "released"
  }

  private static func changed(_ driver: KeychainDriver) throws -> String {
    var callbacks = CFObject.callbacks
    // The array retains its values, which are constants, until it is released here.
    let array = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
    defer { unsafe VaultCFRelease(UnsafeRawPointer(array)) }
    func value(_ text: String) -> UnsafeRawPointer? { unsafe UnsafeRawPointer(CF.string(text)) }
    func texts() -> String {
      (0..<(unsafe VaultCFArrayGetCount(array))).map {
        unsafe CF.text(VaultCFArrayGetValueAtIndex(array, $0))
      }.joined(separator: " ")
    }
    unsafe VaultCFArrayInsertValueAtIndex(array, 0, value("b"))
    unsafe VaultCFArrayInsertValueAtIndex(array, 0, value("a"))
    let inserted = texts()
    unsafe VaultCFArraySetValueAtIndex(array, 0, value("c"))
    let replaced = texts()
    unsafe VaultCFArrayRemoveValueAtIndex(array, 0)
    return seen(inserted, replaced, texts())
  }

  private static func deep(_ driver: KeychainDriver) throws -> String {
    var callbacks = CFObject.callbacks
    // Each array is retained by the next alone, and the last two are released at the end.
    let both = (0..<2).map { _ in
      var outer = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
      for _ in 0..<100_000 {
        let next = unsafe VaultCFArrayCreateMutable(nil, 0, &callbacks)
        unsafe VaultCFArrayAppendValue(next, UnsafeRawPointer(outer))
        unsafe VaultCFRelease(UnsafeRawPointer(outer))
        unsafe outer = next
      }
      return unsafe object(outer)
    }
    return both[0].use { one in
      both[1].use { other in unsafe VaultCFEqual(one, other) == 0 ? "unequal" : "equal" }
    }
  }

  private static func uncopied(_ driver: KeychainDriver) throws -> String {
    // Malloc gives the bytes, and the data free them.
    let bytes = unsafe calloc(2, 1)?.assumingMemoryBound(to: UInt8.self)
    let data = unsafe object(VaultCFDataCreateWithBytesNoCopy(nil, bytes, 2, nil))
    return data.use {
      unsafe VaultCFDataGetBytePtr(OpaquePointer($0)) == UnsafePointer(bytes)
        ? "the same bytes" : "a copy"
    }
  }

  private static func constant(_ driver: KeychainDriver) throws -> String {
    // Constants, which the process keeps whatever is released.
    let first = unsafe UnsafeRawPointer(VaultCFConstantString("class"))
    for _ in 0..<3 { unsafe VaultCFRelease(first) }
    let second = unsafe UnsafeRawPointer(VaultCFConstantString("class"))
    return seen(unsafe first == second ? "the same" : "another", unsafe CF.text(second))
  }

  private static func random(_ driver: KeychainDriver) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    // The array has as many bytes.
    let result = try outcome { try check(unsafe VaultRandomCopyBytes(nil, bytes.count, &bytes)) }
    return seen(result, bytes == [UInt8](repeating: 0, count: 32) ? "zeros" : "\(bytes.count)")
  }

  // MARK: Messages

  private static func request(_ method: String) -> CFObject {
    // The texts are constants, and the message keeps the URL.
    let url = unsafe object(VaultCFURLCreateWithString(nil, CF.string("http://a.example/"), nil))
    return url.use {
      unsafe object(
        VaultHTTPMessageCreateRequest(nil, CF.string(method), OpaquePointer($0), nil))
    }
  }

  private static func firewall(_ driver: KeychainDriver) throws -> String {
    // The texts are constants.
    let response = unsafe object(VaultHTTPMessageCreateResponse(nil, 407, nil, nil))
    return request("GET").use { request in
      response.use { response in
        unsafe VaultHTTPMessageSetHeaderFieldValue(
          OpaquePointer(response), CF.string("Proxy-Authenticate"),
          CF.string("Basic realm=\"Wall\""))
        let stream = unsafe object(
          VaultReadStreamCreateForHTTPRequest(
            nil, OpaquePointer(request), OpaquePointer(response)))
        return stream.use { stream in
          let header = unsafe CFObject(
            VaultReadStreamCopyProperty(
              OpaquePointer(stream), CF.string("kCFStreamPropertyHTTPResponseHeader")))
          return header.use {
            unsafe object(VaultHTTPAuthenticationCreateFromResponse(nil, OpaquePointer($0))).type
          }
        }
      }
    }
  }

  private static func fields(_ driver: KeychainDriver) throws -> String {
    request("GET").use { request in
      // The texts are constants, and the message keeps them.
      unsafe VaultHTTPMessageSetHeaderFieldValue(
        OpaquePointer(request), CF.string("X-Name"), CF.string("value"))
      return unsafe object(VaultHTTPMessageCopyAllHeaderFields(OpaquePointer(request)))["X-Name"]
        .text
    }
  }

  private static func serialized(_ driver: KeychainDriver) throws -> String {
    let body = unsafe object(CF.data(Array("body".utf8)))
    return request("POST").use { request in
      body.use { body in
        // The texts are constants, and the message keeps the body.
        unsafe VaultHTTPMessageSetHeaderFieldValue(
          OpaquePointer(request), CF.string("X-Name"), CF.string("value"))
        unsafe VaultHTTPMessageSetBody(OpaquePointer(request), OpaquePointer(body))
        let sent = unsafe object(VaultHTTPMessageCopySerializedMessage(OpaquePointer(request)))
        return sent.use { sent in
          let text = unsafe VaultCFStringCreateFromExternalRepresentation(
            nil, OpaquePointer(sent), VaultCFStringEncoding(kVaultCFStringEncodingUTF8))
          return unsafe object(text).text.split(separator: "\r\n", omittingEmptySubsequences: false)
            .joined(separator: "|")
        }
      }
    }
  }
}
