import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// A fault of the second of three rows.
enum RowFault: String, CaseIterable, CustomTestStringConvertible {
  case nulInAccount, nulInSecret, otherBytesInAccount, otherBytesInSecret
  case formula, quotes, escapes, lineFeed, path, option, rightToLeft, separators
  case emptySecret, longAccount, sameAsBefore
  case hostWithBlank, hostLikeOption, hostOfControls, longHost

  var testDescription: String { rawValue }

  static let secret = "Zq7secret"

  var row: ForeignFile.Row {
    var row = ForeignFile.Row(secret: Array(Self.secret.utf8))
    switch self {
    case .nulInAccount: row.account = Array("a\0b".utf8)
    case .nulInSecret: row.secret += [0, 0x61]
    case .otherBytesInAccount: row.account += [0xFF, 0x61]
    case .otherBytesInSecret: row.secret += [0xFF, 0x61]
    case .formula:
      row.account = Array("=HYPERLINK(1)".utf8)
      row.secret = Array("=cmd|' /C \(Self.secret)'!A0".utf8)
    case .quotes: row.account = Array("a\"b\"\"c'd\\e".utf8)
    case .escapes: row.account = Array("a\u{1B}[2J\u{1B}]0;x\u{7}".utf8)
    case .lineFeed: row.account = Array("a\npassword: b".utf8)
    case .path: row.account = Array("../../etc/passwd".utf8)
    case .option: row.account = Array("--help".utf8)
    case .rightToLeft: row.account = Array("a\u{202E}b\u{200B}💥".utf8)
    case .separators: row.account = Array("a,b;c:d@e/f?g#h i".utf8)
    case .emptySecret: row.secret = []
    case .longAccount: row.account = Array(repeating: UInt8(ascii: "u"), count: 5000)
    case .sameAsBefore: row = FaultTests.rows[0]
    case .hostWithBlank: row.host = Array("a b.example.com".utf8)
    case .hostLikeOption: row.host = Array("-oProxyCommand=x".utf8)
    case .hostOfControls: row.host = Array("a\u{1B}[2J.example.com".utf8)
    case .longHost: row.host = Array(repeating: UInt8(ascii: "h"), count: 300)
    }
    return row
  }

  /// Whether no format can take it over as it is.
  var isNeverRead: Bool {
    switch self {
    case .nulInAccount, .otherBytesInAccount, .emptySecret, .longAccount: true
    default: false
    }
  }

  /// Whether its address is none, which is then kept as text, or rejects the entry.
  var isOfHost: Bool {
    switch self {
    case .hostWithBlank, .hostLikeOption, .hostOfControls, .longHost: true
    default: false
    }
  }
}

/// Every reader and every fault: an entry is whole, or it is rejected with its place and a reason
/// that shows nothing of the secret.
@Suite("A file with something wrong in it")
struct FaultTests {
  static let rows = [
    ForeignFile.Row(secret: Array("pw1".utf8)),
    ForeignFile.Row(host: Array("b.example.com".utf8), secret: Array("pw2".utf8)),
    ForeignFile.Row(host: Array("c.example.com".utf8), secret: Array("pw3".utf8)),
  ]
  /// That of a Secret Service is `json`.
  private static let formats = InterchangeFormat.allCases.filter { $0 != .secretService }
  /// The formats whose file is text.
  private static let texts = formats.filter { $0 != .onePUX && $0 != .pass }

  /// Returns an entry by the items in it, with their secrets.
  private static func contents(_ entry: Entry) -> [String] {
    entry.items.map { "\($0.key.server) \($0.account) \($0.secret?.array ?? [])" }
  }

  private static func contents(_ row: ForeignFile.Row) -> [String] {
    let (host, account) = (String(decoding: row.host, as: UTF8.self), row.account)
    return ["\(host) \(String(decoding: account, as: UTF8.self)) \(row.secret)"]
  }

  @Test("without a fault, every format gives its rows", arguments: formats)
  func whole(format: InterchangeFormat) throws {
    let entries = try ForeignFile(format, Self.rows).entries()
    #expect(entries.map(Self.contents) == Self.rows.map(Self.contents))
  }

  @Test(
    "a row is whole or rejected, and the others are read", arguments: formats, RowFault.allCases)
  func row(format: InterchangeFormat, fault: RowFault) throws {
    let whole = try ForeignFile(format, Self.rows).entries()
    let row = fault.row
    let entries: [Entry]
    do throws(VaultError) {
      entries = try ForeignFile(format, [Self.rows[0], row, Self.rows[2]]).entries()
    } catch {
      // Where one character spoils the document, nothing is imported.
      #expect(error.code == .invalidData)
      #expect(!error.text.contains(RowFault.secret))
      return
    }
    try #require(entries.count == 3)
    #expect(Self.contents(entries[0]) == Self.contents(whole[0]))
    #expect(Self.contents(entries[2]) == Self.contents(whole[2]))
    let entry = entries[1]
    #expect(entry.place == whole[1].place)
    guard let reason = entry.rejection else {
      guard !fault.isOfHost else {
        #expect(entry.has(secret: RowFault.secret))
        #expect(entry.items.allSatisfy { $0.key.itemClass == .genericPassword })
        #expect(entry.kinds.contains(.addressKeptAsText))
        return
      }
      // In stores of passwords, and so in our own format, a password may be empty.
      let mayBeEmpty = [.json, .netrc, .gitCredentials, .secretTool, .docker].contains(format)
      #expect(!fault.isNeverRead || mayBeEmpty && fault == .emptySecret)
      // A line of these formats ends an attribute, and no reader can tell.
      guard fault != .lineFeed || (format != .secretTool && format != .pass) else { return }
      // Nor of Docker's, where a user ends at the first colon.
      guard format != .docker || !row.account.contains(UInt8(ascii: ":")) else { return }
      #expect(Self.contents(entry) == Self.contents(row))
      return
    }
    #expect(!reason.isEmpty && !reason.contains(RowFault.secret), "\(reason)")
  }

  @Test("cut anywhere, it gives no entry that is not whole without a remark", arguments: texts)
  func cut(format: InterchangeFormat) throws {
    let file = ForeignFile(format, Self.rows)
    let whole = Self.rows.map(Self.contents)
    for count in 0..<file.bytes.count {
      do throws(VaultError) {
        for (index, entry) in try format.entries(Array(file.bytes.prefix(count))).enumerated()
        where !entry.items.isEmpty && entry.remarks[.mayBeCut] == nil {
          // Between two lines of an item nothing shows that another one would follow.
          guard format != .secretTool || file.bytes[count - 1] != UInt8(ascii: "\n") else {
            continue
          }
          #expect(Self.contents(entry) == whole[index], "\(count)")
        }
      } catch {
        #expect([.invalidData].contains(error.code), "\(count): \(error)")
      }
    }
  }

  @Test("a mark at its start and line ends of Windows change nothing", arguments: texts)
  func otherLineEnds(format: InterchangeFormat) throws {
    let file = ForeignFile(format, Self.rows)
    let whole = Self.rows.map(Self.contents)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try format.entries(mark + file.bytes).map(Self.contents) == whole)
    let windows: [UInt8] = file.bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] as [UInt8] }
    #expect(try format.entries(windows).map(Self.contents) == whole)
    #expect(try format.entries(mark + windows).map(Self.contents) == whole)
  }

  @Test("with other names for its columns or members it gives no login", arguments: texts)
  func otherNames(format: InterchangeFormat) throws {
    // They have none.
    guard ![.gitCredentials, .keeper].contains(format) else { return }
    let text = String(decoding: ForeignFile(format, Self.rows).bytes, as: UTF8.self)
    let names = [
      "password", "Password", "Pwd", "login_password", "auth\"", "secret\"", "data:", "secret = ",
    ]
    let other = names.reduce(text) { $0.replacing($1, with: "x-" + $1.replacing("w", with: "v")) }
    do throws(VaultError) {
      for entry in try format.entries(Array(other.utf8)) {
        #expect(entry.items.allSatisfy { $0.kind == "login without a password" })
        #expect(entry.rejection?.contains("pw") != true)
      }
    } catch {
      #expect(error.code == .invalidData)
      #expect(!error.text.contains("pw1"))
    }
  }

  @Test("bytes of UTF-16 and NULs all over are refused", arguments: texts)
  func notText(format: InterchangeFormat) throws {
    let wide: [UInt8] = ForeignFile(format, Self.rows).bytes.flatMap { [$0, 0] as [UInt8] }
    let files: [[UInt8]] = [[0xFF, 0xFE] + wide, wide, Array(repeating: 0, count: 100)]
    for bytes in files {
      do throws(VaultError) {
        let entries = try format.entries(bytes)
        // KeePass itself can write UTF-16, with its mark.
        guard format != .keepassXML else { continue }
        #expect(entries.allSatisfy { $0.items.isEmpty && $0.rejection != nil })
      } catch {
        #expect(error.code == .invalidData)
      }
    }
  }
}
