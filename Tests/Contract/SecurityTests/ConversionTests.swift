import Foundation
import KeychainServices
import Security
import Testing

extension SecurityTests {
  @Suite("Security: values and constants")
  struct ConversionTests {
    init() throws {
      try TestVault.use()
    }

    private let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "conversion",
    ]

    private func copy(_ more: [String: Any]) -> (OSStatus, AnyObject?) {
      var result: AnyObject?
      // The place is this function's own.
      let status = unsafe SecItemCopyMatching(
        query.merging(more) { $1 } as CFDictionary, &result)
      return (status, result)
    }

    private func add(_ more: [String: Any]) -> OSStatus {
      SecItemAdd(query.merging(more) { $1 } as CFDictionary, nil)
    }

    @Test("values of Swift and objects of Foundation are the same")
    func objects() throws {
      let now = Date(timeIntervalSince1970: 1000)
      let values: [(Any, Any)] = [
        ("text", NSString(string: "text")), (true, NSNumber(value: true)),
        (7, NSNumber(value: 7)), (now, NSDate(timeIntervalSince1970: 1000)),
        (Data([1]), NSData(data: Data([1]))),
      ]
      let keys = [
        kSecAttrAccount, kSecAttrIsInvisible, kSecAttrType, kSecAttrCreationDate, kSecAttrGeneric,
      ]
      for (index, (key, (swift, object))) in zip(keys, values).enumerated() {
        let account = "objects \(index)"
        var item: [String: Any] = [
          kSecAttrComment as String: account, kSecValueData as String: Data(),
        ]
        item[kSecAttrAccount as String] = account
        item[key] = swift
        #expect(add(item) == errSecSuccess)
        guard key != kSecAttrCreationDate else { continue }
        let asked: [String: Any] = [kSecAttrComment as String: account, key: object]
        #expect(copy(asked).0 == errSecSuccess, "\(key)")
      }
    }

    @Test("numbers of every width are numbers")
    func numbers() {
      let port: [String: Any] = [
        kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "n.example",
      ]
      let numbers: [any Sendable] = [Int8(7), UInt16(7), Int32(7), UInt64(7), "7"]
      #expect(
        SecItemAdd(port.merging([kSecAttrPort as String: 7]) { $1 }, nil) == errSecSuccess)
      for number in numbers {
        let query = port.merging([kSecAttrPort as String: number]) { $1 }
        #expect(SecItemCopyMatching(query, nil) == errSecSuccess)
      }
      for number in [UInt64.max, 7.5, NSNull()] as [Any] {
        let query = port.merging([kSecAttrPort as String: number]) { $1 }
        #expect(SecItemCopyMatching(query, nil) == errSecParam)
      }
    }

    @Test("results are values of Swift and objects of Foundation")
    func results() throws {
      let secret = Data([0, 255, 1])
      #expect(add([kSecAttrAccount as String: "r", kSecValueData as String: secret]) == 0)
      let one = copy([kSecAttrAccount as String: "r", kSecReturnData as String: true]).1
      #expect(one as? Data == secret)
      #expect(one as? NSData == NSData(data: secret))
      let all = copy([
        kSecAttrAccount as String: "r", kSecReturnData as String: true,
        kSecMatchLimit as String: kSecMatchLimitAll,
      ]).1
      #expect(all as? [Data] == [secret])
      let attributes = copy([
        kSecAttrAccount as String: "r", kSecReturnAttributes as String: true,
        kSecReturnRef as String: true, kSecReturnPersistentRef as String: true,
      ]).1
      let dictionary = try #require(attributes as? [String: Any])
      #expect(attributes as? NSDictionary != nil)
      #expect(dictionary[kSecAttrSynchronizable as String] as? Int == 0)
      #expect(dictionary[kSecValueRef as String] is SecKeychainItem)
      let created = try #require(dictionary[kSecAttrCreationDate as String] as? Date)
      #expect(
        copy([kSecAttrAccount as String: "r", kSecAttrCreationDate as String: created]).0 == 0)
    }

    @Test("a result is not written on failure, nor needed if nothing is asked for")
    func places() {
      var result: AnyObject? = "before" as AnyObject
      let none = query.merging([
        kSecAttrAccount as String: "none", kSecReturnData as String: true,
      ]) { $1 }
      // The place is this function's own.
      #expect(unsafe SecItemCopyMatching(none, &result) == errSecItemNotFound)
      #expect(result as? String == "before")
      #expect(SecItemCopyMatching(none, nil) == errSecItemNotFound)
      #expect(add([kSecAttrAccount as String: "there"]) == errSecSuccess)
      let there = query.merging([
        kSecAttrAccount as String: "there", kSecReturnData as String: true,
      ]) { $1 }
      #expect(SecItemCopyMatching(there as CFDictionary, nil) == errSecSuccess)
      #expect(unsafe SecItemCopyMatching([:] as CFDictionary, &result) == errSecParam)
      #expect(SecItemAdd(["unknown": 1], nil) == errSecParam)
    }

    @Test("each dictionary of Swift's is one, if its keys are texts")
    func dictionaries() {
      let optional: [String?: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "dictionaries",
      ]
      let hashable: [AnyHashable: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "dictionaries",
      ]
      #expect(SecItemAdd(optional as CFDictionary, nil) == errSecSuccess)
      #expect(SecItemAdd(hashable as CFDictionary, nil) == errSecDuplicateItem)
      #expect(
        SecItemCopyMatching(
          [kSecClass: kSecClassGenericPassword, kSecAttrService: "dictionaries"] as CFDictionary,
          nil) == errSecSuccess)
      let none: [String?: Any] = [nil: 7, kSecClass: kSecClassGenericPassword]
      #expect(SecItemDelete(none as CFDictionary) == errSecParam)
      #expect(SecItemDelete([7: kSecClassGenericPassword] as CFDictionary) == errSecParam)
      let dictionary = optional as CFDictionary
      #expect((dictionary as NSDictionary)[kSecAttrService] as? String == "dictionaries")
      #expect(SecItemDelete(dictionary) == errSecSuccess)
    }

    @Test("numbers, UUIDs, random bytes and the other names of CoreFoundation")
    func names() throws {
      var port: Int32 = 8443
      // Each address is that of this function's own value.
      let number = try #require(unsafe CFNumberCreate(nil, .sInt32Type, &port))
      #expect(number as? Int == 8443)
      var (short, byte, real) = (Int16(0), Int8(7), 0.0)
      #expect(unsafe CFNumberGetValue(number, .shortType, &short) && short == 8443)
      #expect(unsafe !CFNumberGetValue(number, .sInt8Type, &byte) && byte == 127)
      #expect(unsafe CFNumberGetValue(7 as CFNumber, .doubleType, &real) && real == 7)
      real = 1.5
      let half = try #require(unsafe CFNumberCreate(kCFAllocatorDefault, .doubleType, &real))
      #expect(unsafe !CFNumberGetValue(half, .intType, &port) && port == 1)
      let item: [String: Any] = [
        kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "cf.example",
        kSecAttrPort as String: number,
      ]
      #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)

      let uuid = try #require(CFUUIDCreate(nil))
      let text = try #require(CFUUIDCreateString(nil, uuid))
      #expect(CFUUIDCreateFromString(nil, text) == uuid && text.count == 36)
      #expect(kCFAllocatorNull !== kCFAllocatorDefault)
      #expect(copy([kSecAttrAccount as String: kCFNull as Any]).0 == errSecParam)

      var (one, two) = ([UInt8](repeating: 0, count: 37), [UInt8](repeating: 0, count: 37))
      #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, one.count, &one) == errSecSuccess)
      #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, two.count, &two) == errSecSuccess)
      #expect(one != two && Set(one).count > 8)
      #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &one) == errSecParam)
    }

    @Test("an access control is the same as another with the same conditions")
    func accessControls() throws {
      func control(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
        return try #require(made)
      }
      #expect(try control(.biometryAny) == control(.touchIDAny))
      #expect(try control([.companion, .or]) == control([.watch, .or]))
      #expect(try control(.privateKeyUsage) != control(.applicationPassword))
      #expect(try Set([control([]), control([]), control(.devicePasscode)]).count == 2)
    }

    @Test("the messages that programs compare are Apple's")
    func messages() {
      let known: [OSStatus: String] = [
        errSecSuccess: "No error.",
        errSecItemNotFound: "The specified item could not be found in the keychain.",
        errSecDuplicateItem: "The specified item already exists in the keychain.",
        errSecAuthFailed: "The user name or passphrase you entered is not correct.",
        errSecInteractionNotAllowed: "User interaction is not allowed.",
        errSecUserCanceled: "User canceled the operation.",
        errSecParam: "One or more parameters passed to a function were not valid.",
      ]
      for (status, text) in known { #expect(SecCopyErrorMessageString(status, nil) == text) }
      #expect(SecCopyErrorMessageString(-12345, nil) == nil)
    }

    @Test("a value of any other type is ignored where its key is, and wrong elsewhere")
    func others() {
      final class Context {}
      #expect(
        add([kSecAttrAccount as String: "o", kSecUseAuthenticationContext as String: Context()])
          == 0)
      #expect(copy([kSecAttrAccount as String: Context()]).0 == errSecParam)
      #expect(add([kSecValueData as String: "text"]) == errSecParam)
      #expect(add([kSecValueData as String: [UInt8(1)]]) == errSecParam)
    }

    @Test("each key of the table has its constant")
    func constants() {
      let constants: [String: String] = [
        "kSecClass": kSecClass, "kSecAttrGeneric": kSecAttrGeneric,
        "kSecAttrService": kSecAttrService, "kSecAttrAccount": kSecAttrAccount,
        "kSecAttrServer": kSecAttrServer, "kSecAttrSecurityDomain": kSecAttrSecurityDomain,
        "kSecAttrProtocol": kSecAttrProtocol,
        "kSecAttrAuthenticationType": kSecAttrAuthenticationType, "kSecAttrPort": kSecAttrPort,
        "kSecAttrPath": kSecAttrPath, "kSecAttrLabel": kSecAttrLabel,
        "kSecAttrComment": kSecAttrComment, "kSecAttrDescription": kSecAttrDescription,
        "kSecAttrCreator": kSecAttrCreator, "kSecAttrType": kSecAttrType,
        "kSecAttrIsInvisible": kSecAttrIsInvisible, "kSecAttrIsNegative": kSecAttrIsNegative,
        "kSecAttrCreationDate": kSecAttrCreationDate,
        "kSecAttrModificationDate": kSecAttrModificationDate,
        "kSecAttrAccessible": kSecAttrAccessible, "kSecAttrAccessGroup": kSecAttrAccessGroup,
        "kSecAttrSynchronizable": kSecAttrSynchronizable, "kSecValueData": kSecValueData,
        "kSecValueRef": kSecValueRef, "kSecValuePersistentRef": kSecValuePersistentRef,
        "kSecReturnData": kSecReturnData, "kSecReturnAttributes": kSecReturnAttributes,
        "kSecReturnRef": kSecReturnRef, "kSecReturnPersistentRef": kSecReturnPersistentRef,
        "kSecMatchLimit": kSecMatchLimit, "kSecMatchCaseInsensitive": kSecMatchCaseInsensitive,
        "kSecMatchHostOrSubdomainOfHost": kSecMatchHostOrSubdomainOfHost,
        "kSecMatchItemList": kSecMatchItemList, "kSecUseItemList": kSecUseItemList,
        "kSecMatchSearchList": kSecMatchSearchList, "kSecUseKeychain": kSecUseKeychain,
        "kSecUseDataProtectionKeychain": kSecUseDataProtectionKeychain,
        "kSecUseAuthenticationUI": kSecUseAuthenticationUI,
        "kSecUseAuthenticationContext": kSecUseAuthenticationContext,
        "kSecUseOperationPrompt": kSecUseOperationPrompt,
        "kSecUseNoAuthenticationUI": kSecUseNoAuthenticationUI,
        "kSecAttrAccessControl": kSecAttrAccessControl, "kSecAttrAccess": kSecAttrAccess,
        "kSecAttrTokenID": kSecAttrTokenID, "kSecMatchPolicy": kSecMatchPolicy,
        "kSecMatchIssuers": kSecMatchIssuers,
        "kSecMatchEmailAddressIfPresent": kSecMatchEmailAddressIfPresent,
        "kSecMatchSubjectContains": kSecMatchSubjectContains,
        "kSecMatchSubjectStartsWith": kSecMatchSubjectStartsWith,
        "kSecMatchSubjectEndsWith": kSecMatchSubjectEndsWith,
        "kSecMatchSubjectWholeString": kSecMatchSubjectWholeString,
        "kSecMatchDiacriticInsensitive": kSecMatchDiacriticInsensitive,
        "kSecMatchWidthInsensitive": kSecMatchWidthInsensitive,
        "kSecMatchTrustedOnly": kSecMatchTrustedOnly, "kSecMatchValidOnDate": kSecMatchValidOnDate,
      ]
      let table = Dictionary(uniqueKeysWithValues: KeychainKey.all.map { ($0.name, $0.key) })
      #expect(constants == table)
    }

    @Test("a constant is a text, and an object where an object is needed")
    func objectsOfConstants() {
      let texts: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
      let objects: [String: AnyObject] = [
        kSecClass as String: kSecClassGenericPassword, kSecReturnData as String: kCFBooleanTrue,
      ]
      #expect(type(of: kSecClassGenericPassword) == String.self)
      #expect(texts[kSecClass] as? String == "genp")
      #expect(objects[kSecClass] as? String == "genp")
      #expect(objects[kSecReturnData] as? Bool == true)
    }
  }
}
