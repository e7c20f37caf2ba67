// swift-tools-version: 6.3

import PackageDescription

// A package of its own that depends on a version of the vault.
let package = Package(
  name: "FirstSteps",
  dependencies: [
    .package(url: "https://example.com/credential-vault.git", from: "1.0.0")
  ],
  targets: [
    .executableTarget(
      name: "FirstSteps",
      dependencies: [.product(name: "CredentialVault", package: "credential-vault")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "Keychain",
      dependencies: [.product(name: "KeychainCompatibility", package: "credential-vault")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "BesideFoundation",
      dependencies: [
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        .product(name: "TLSCredentials", package: "credential-vault"),
        .product(name: "VaultURLSession", package: "credential-vault"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
