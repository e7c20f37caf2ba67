import Foundation
import ProgramTesting

/// A function of the C interface, as a header declares it.
struct Prototype: Sendable, CustomStringConvertible {
  struct Parameter: Sendable {
    /// The C type without its annotations, such as `vault_item_t **`.
    let type: String
    let name: String
    /// Whether NULL is not allowed; nil if the header does not say.
    let isRequired: Bool?

    var isPointer: Bool {
      type.hasSuffix("*") || type == "vault_transaction_body_t" || type == "vault_http_prompt_t"
        || (type.hasPrefix("Vault") && type.hasSuffix("Ref"))
    }
  }

  let name: String
  let result: String
  let parameters: [Parameter]

  var isOfKeychain: Bool { name.hasPrefix("Vault") }
  var description: String { name }

  /// The headers that declare functions.
  static let headers = [
    "vault.h", "vault_http.h", "vault_tls.h", "vault_cfnetwork.h", "vault_keychain.h",
    "vault_keychain_vaults.h", "vault_secitem.h",
    "vault_corefoundation.h", "vault_sectrust.h", "vault_seckey.h",
  ]

  /// All functions of the headers.
  static let all: [Prototype] = {
    do {
      return try headers.flatMap { try read(header($0)) }
    } catch {
      return []
    }
  }()

  /// Returns the names of Apple's functions for those of the library.
  static func applesNames() throws -> [String: String] {
    let folders = [
      "CoreFoundation": ["CoreFoundation"], "CFNetwork": ["CFNetwork"],
      "Security": [
        "SecAccess", "SecBase", "SecCertificate", "SecIdentity", "SecImportExport", "SecItem",
        "SecKey",
        "SecKeychain", "SecKeychainItem", "SecKeychainSearch", "SecPolicy", "SecRandom", "SecTrust",
        "SecTrustedApplication",
      ],
    ]
    var names: [String: String] = [:]
    for (folder, parts) in folders {
      for part in parts {
        let text = try header("compat/\(folder)/\(part).h")
        for match in text.matches(of: /#define (CF\w+|Sec\w+)(?: \\\n)? +(Vault\w+)\n/) {
          names[String(match.2)] = String(match.1)
        }
      }
    }
    return names
  }

  /// Returns the names of the constants that the headers declare, and of the texts of Apple's.
  static func constants() throws -> [String] {
    let text = try header("vault_corefoundation.h")
    let own = text.matches(of: /extern const (?:struct )?\w+ (\w+(?:, \w+)*);/)
      .flatMap { $0.1.split(separator: ", ").map(String.init) }
    return try own + strings().keys.map { "Vault" + $0 }
  }

  /// Returns the texts of Apple's constants by their names.
  static func strings() throws -> [String: String] {
    var strings: [String: String] = [:]
    for name in [
      "CoreFoundation/CoreFoundation", "CFNetwork/CFNetwork", "Security/SecItem",
      "Security/SecKey", "Security/SecImportExport",
    ] {
      let text = try header("compat/\(name).h")
      for match in text.matches(of: /VAULT_STRING\(\s*(k\w+), "([^"]*)"\);/) {
        strings[String(match.1)] = String(match.2)
      }
    }
    return strings
  }

  static func header(_ name: String) throws -> String {
    try Project.text(of: "Sources/CVault/include/\(name)")
  }

  /// Returns the functions that a header declares.
  static func read(_ header: String) -> [Prototype] {
    let code = header.replacing(/\/\*.*?\*\//.dotMatchesNewlines(), with: "")
      .replacing(/#[^\n]*(\\\n[^\n]*)*/, with: "")
    let pattern = /((?:const )?\w+[\s\w*]*?)\b(vault_\w+|Vault\w+)\s*\(([^()]*)\)\s*;/
    return code.matches(of: pattern).map { match in
      Prototype(
        name: String(match.2), result: simple(String(match.1)),
        parameters: match.3.split(separator: ",").compactMap { parameter($0) })
    }
  }

  private static func parameter(_ text: Substring) -> Parameter? {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard text != "void", let match = text.wholeMatch(of: /(.*?)(\w+)/.dotMatchesNewlines()) else {
      return nil
    }
    let last = match.1.ranges(of: /VAULT_(NULLABLE|REQUIRED)/).last
    return Parameter(
      type: simple(String(match.1)), name: String(match.2),
      isRequired: last.map { match.1[$0] == "VAULT_REQUIRED" })
  }

  /// Returns a type without annotations, its stars together after a blank.
  private static func simple(_ type: String) -> String {
    let words = type.replacing(/VAULT_(NULLABLE|REQUIRED)/, with: "")
    let stars = words.count { $0 == "*" }
    let name = words.filter { $0 != "*" }.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    return stars == 0 ? name : name + " " + String(repeating: "*", count: stars)
  }
}
