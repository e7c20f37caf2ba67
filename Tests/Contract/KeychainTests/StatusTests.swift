import CVault
import KeychainServices
import ProgramTesting
import Testing
import VaultModel

@testable import VaultC

@Suite("Keychain: statuses and codes")
struct StatusTests {
  private static let allCodes = (1...32).map { VaultError.Code(rawValue: $0) }

  @Test("every error has a number of Apple's, and the number a text", arguments: allCodes)
  func all(_ code: VaultError.Code) throws {
    let status = VaultError(code, "").keychainStatus
    #expect(status < 0)
    #expect((status == errVaultInternalError) == (code == .internalError))
    let text = unsafe try #require(VaultCopyErrorMessageString(status, nil))
    // The text is a constant that ends with NUL.
    #expect(unsafe String(cString: text).hasSuffix("."))
    #expect(unsafe VaultRetain(text) == UnsafeRawPointer(text))
    unsafe VaultRelease(text)
    #expect(unsafe String(cString: text).hasSuffix("."))
  }

  @Test("those that a program handles have the number that it knows")
  func known() {
    let known: [(VaultError.Code, Int)] = [
      (.invalidArgument, -50), (.locked, -25308), (.itemNotFound, -25300),
      (.duplicateItem, -25299), (.authenticationFailed, -25293), (.vaultNotFound, -25294),
      (.damaged, -25295), (.readOnly, -25292), (.outOfMemory, -108), (.unsupported, -4),
      (.inputOutput, -36), (.tooLarge, -25302), (.tooNew, -25310), (.policyRefused, -61),
    ]
    for (code, status) in known { #expect(VaultError(code, "").keychainStatus == status) }
    let unknown = VaultError.Code(rawValue: 4711)
    #expect(VaultError(unknown, "").keychainStatus == errVaultInternalError)
  }

  @Test("a full disk is told apart, whoever found it")
  func disk() {
    let full: [VaultError.Underlying] = [.sqlite(13), .sqlite(13 | 3 << 8), .errno(28)]
    for underlying in full {
      let error = VaultError(.inputOutput, "", underlying: underlying)
      #expect(error.keychainStatus == errVaultDiskFull)
    }
    #expect(VaultError(.inputOutput, "", underlying: .sqlite(10)).keychainStatus == errVaultIO)
  }

  @Test("every status of Apple's open header has a text, by its name unless there is a better one")
  func openHeader() throws {
    let header = try Project.text(of: "Sources/CVault/include/compat/Security/SecErrors.h")
    let own = Set(KeychainStatus.allCases.map(\.rawValue)).union([-49, -25244, -34018])
    var count = 0
    for match in header.matches(of: /errSec(\w+) = (-?\d+),/) {
      let status = try #require(Int32(match.2))
      // The text is a constant that ends with NUL.
      let pointer = unsafe try #require(VaultCopyErrorMessageString(status, nil), "\(match.1)")
      let text = unsafe String(cString: pointer)
      #expect(unsafe VaultRetain(pointer) == UnsafeRawPointer(pointer))
      #expect(text.hasSuffix(".") && text.count > 5, "\(match.1)")
      if !own.contains(status) {
        let letters = text.filter { $0.isLetter || $0.isNumber }.lowercased()
        #expect(letters == match.1.lowercased())
      }
      count += 1
    }
    #expect(count == 381)
    let entitlement = unsafe VaultCopyErrorMessageString(-34018, nil).map {
      unsafe String(cString: $0)
    }
    #expect(entitlement == "A required entitlement isn't present.")
  }

  @Test("an unknown status has no text")
  func unknown() {
    #expect(unsafe VaultCopyErrorMessageString(1, nil) == nil)
    #expect(unsafe VaultCopyErrorMessageString(-25299, nil) != nil)
  }

  @Test(
    "a code is one protocol and one type, and comes back from it",
    arguments: [
      0, 0x6874_7073, 0x736F_7820, 0x6769_7420, 0x7879_7A31, 0x7879_2020, 0x5744_4156, 0x7764_6176,
      0x7820_7820, 1, 0xFFFF_FFFF, 0x2020_2020, 0x7366_7470,
    ] as [UInt32])
  func codes(_ code: UInt32) throws {
    let proto = NetworkProtocol(keychainCode: code)
    #expect(proto.keychainCode == code)
    #expect(try NetworkProtocol(proto.rawValue) == proto, "a vault takes it")
    let method = AuthenticationMethod(keychainType: code.bigEndian)
    #expect(method.keychainType == code.bigEndian)
    #expect(try AuthenticationMethod(method.rawValue) == method, "a vault takes it")
  }

  @Test("codes without a name keep their letters if they are small ones")
  func names() {
    #expect(NetworkProtocol(keychainCode: 0x6769_7420) == .git)
    #expect(NetworkProtocol(keychainCode: 0x7879_7A31).rawValue == "xyz1")
    #expect(NetworkProtocol(keychainCode: 0x7879_2020).rawValue == "xy")
    #expect(NetworkProtocol(keychainCode: 0x5744_4156).rawValue == "code-57444156")
    #expect(NetworkProtocol(rawValue: "sox").keychainCode == 0, "that code is SOCKS")
    #expect(NetworkProtocol.smtps.keychainCode == 0)
    // `dpa` is the name of `dpaa`.
    #expect(
      AuthenticationMethod(keychainType: UInt32(0x6470_6120).bigEndian).rawValue == "code-64706120")
  }

  @Test("a date has sixteen bytes in every year")
  func dates() {
    let dates: [(Int64, String)] = [
      (0, "19700101000000Z\0"), (999, "19700101000000Z\0"), (-1, "19691231235959Z\0"),
      (1_600_000_000_123, "20200913122640Z\0"), (.min, "00000101000000Z\0"),
      (.max, "99991231235959Z\0"),
    ]
    for (milliseconds, text) in dates {
      #expect(Timestamp(milliseconds: milliseconds).keychainDate == text.array)
    }
  }
}
