// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "Lookup",
  dependencies: [.package(name: "credential-vault", path: "../..")],
  targets: [
    .executableTarget(
      name: "Lookup",
      dependencies: [.product(name: "CredentialVault", package: "credential-vault")])
  ]
)
