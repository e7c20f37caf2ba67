import VaultModel

@testable import vaultctl

/// Names as the tests' tables write them.
extension OptionName {
  static let account = Self.attribute(.account)
  static let auth = Self.attribute(.authenticationMethod)
  static let label = Self.attribute(.label)
  static let networkProtocol = Self.attribute(.protocol)
  static let path = Self.attribute(.path)
  static let port = Self.attribute(.port)
  static let server = Self.attribute(.server)

  static let afterAcceptance = Self.general(.afterAcceptance)
  static let host = Self.general(.host)
  static let id = Self.general(.id)
  static let lifetime = Self.general(.lifetime)
  static let loopback = Self.general(.loopback)
  static let max = Self.general(.max)
  static let name = Self.general(.name)
  static let note = Self.general(.note)
  static let proxy = Self.general(.proxy)
  static let refuse = Self.general(.refuse)
  static let secure = Self.general(.secure)
  static let url = Self.general(.url)
}

extension OptionName {
  /// Every option that there is.
  static var allCases: [OptionName] {
    let attributes = Attribute.all.filter { $0.option != nil }
    return GeneralOption.allCases.map { .general($0) } + attributes.map { .attribute($0) }
      + attributes.filter(\.isOfKey).map { .newValue($0) }
  }
}
