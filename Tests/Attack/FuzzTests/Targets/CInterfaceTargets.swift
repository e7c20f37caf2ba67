import FuzzTesting
import CVault
import KeychainServices
import SecureMemory
import TestSupport
import VaultModel

@testable import VaultC

extension FuzzTarget {
  /// Attributes that a C program names: `u8 attribute ‖ u8 length ‖ bytes`, again and again.
  static let attributes = FuzzTarget(name: "attributes") { bytes in
    var input = Input(bytes)
    var attributes = Attributes()
    while !input.isEmpty {
      let attribute = vault_attribute_t(rawValue: UInt32(input.byte()))
      let value = input.bytes(Int(input.byte()))
      try name(attribute, value, in: &attributes)
    }
    let query = try reading(refusing: .invalidArgument, .tooLarge, .unsupported) {
      () throws(VaultError) in
      _ = try attributes.query()
      return try attributes.queryOfSpace()
    }
    return query == nil ? .refused : .read
  }

  private static func name(
    _ attribute: vault_attribute_t, _ value: [UInt8], in attributes: inout Attributes
  ) throws {
    let text = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      try self.text(value)
    }
    try require(text.map { Array($0.utf8) == value } ?? true, "a text is read as another one")
    var input = Input(value)
    let number = input.number(8)
    var named = attributes
    _ = try reading(refusing: .invalidArgument, .tooLarge, .unsupported) { () throws(VaultError) in
      if let text {
        try named.name(attribute, text: text)
      }
    }
    _ = try reading(refusing: .invalidArgument, .tooLarge, .unsupported) { () throws(VaultError) in
      try named.name(attribute, number: number)
    }
    let url = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      // The array outlives the call, and has as many bytes as are said.
      try unsafe value.span.bytes.withUnsafeBytes { (bytes) throws(VaultError) in
        try unsafe VaultC.Input.urlWithoutPath(bytes.baseAddress, bytes.count)
      }
    }
    if let url {
      try require(!url.isEmpty, "a URL of nothing")
      if let reference = try reading(
        refusing: .invalidArgument,
        body: { () throws(VaultError) in
          try URLReference(url)
        })
      {
        try require(!reference.hasPassword, "a password was copied")
        try named.name(reference)
      }
    }
    attributes = named
  }

  private static func text(_ value: [UInt8]) throws(VaultError) -> String {
    // The array outlives the call, and has as many bytes as are said.
    try unsafe value.span.bytes.withUnsafeBytes { (bytes) throws(VaultError) in
      try unsafe VaultC.Input.text(bytes.baseAddress, bytes.count)
    }
  }

  /// A list of the keychain's attributes: `u8 tag ‖ u8 length ‖ bytes`, again and again; a length
  /// of 255 is NULL.
  static let keychainList = FuzzTarget(name: "keychain-list") { bytes in
    var input = Input(bytes)
    var values: [(tag: UInt32, value: [UInt8]?)] = []
    while !input.isEmpty {
      let tag = tags[Int(input.byte()) % tags.count]
      let count = Int(input.byte())
      values.append((tag, count == 255 ? nil : input.bytes(count)))
    }
    var attributes = unsafe [VaultAttribute]()
    // Freed at the end, and as long as it is said to be: a byte too many that is read is found.
    defer { unsafe attributes.forEach { unsafe $0.data?.deallocate() } }
    for (tag, value) in values {
      let buffer = unsafe value.map { value in
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 1)
        unsafe buffer.copyBytes(from: value)
        return unsafe buffer
      }
      unsafe attributes.append(
        VaultAttribute(
          tag: tag, length: UInt32(value?.count ?? 5), data: buffer?.baseAddress))
    }
    return try unsafe attributes.withUnsafeMutableBufferPointer { buffer in
      var list = unsafe VaultAttributeList(count: UInt32(buffer.count), attr: buffer.baseAddress)
      _ = try unsafe outcome(of: &list, .genericPassword)
      return try unsafe outcome(of: &list, .internetPassword)
    }
  }

  private static func outcome(
    of list: UnsafePointer<VaultAttributeList>, _ itemClass: ItemClass
  ) throws -> Outcome {
    let all = try reading(refusing: .invalidArgument, .invalidValue, .noSuchAttribute, .tooLarge) {
      () throws(VaultError) in try unsafe KeychainAttribute.all(in: list, of: itemClass)
    }
    guard let all else { return .refused }
    for attribute in all {
      for empty in [EmptyNumber.isInvalid, .unsets] {
        _ = try reading(
          refusing: .invalidArgument, .invalidValue, .missingValue, .readOnlyAttribute, .unsupported
        ) { () throws(VaultError) in try attribute.change(empty) }
      }
    }
    let query = try reading(refusing: .invalidArgument, .invalidQuery, .invalidValue) {
      () throws(VaultError) in try KeychainQuery(all, of: itemClass)
    }
    guard let query else { return .refused }
    _ = query.accepts(Item(server: HostName(canonical: "h"), account: "a"))
    return .read
  }

  /// Every tag there is, and one that is none.
  private static let tags: [UInt32] =
    [
      kVaultAccountItemAttr, kVaultSecurityDomainItemAttr, kVaultServerItemAttr,
      kVaultProtocolItemAttr, kVaultAuthenticationTypeItemAttr, kVaultPortItemAttr,
      kVaultPathItemAttr, kVaultLabelItemAttr, kVaultCommentItemAttr, kVaultDescriptionItemAttr,
      kVaultCreatorItemAttr, kVaultTypeItemAttr, kVaultInvisibleItemAttr, kVaultNegativeItemAttr,
      kVaultCreationDateItemAttr, kVaultModDateItemAttr, kVaultScriptCodeItemAttr,
      kVaultCustomIconItemAttr, kVaultProtectedDataItemAttr, kVaultAlias, 7, 8, 9,
    ].map { UInt32($0) }
}
