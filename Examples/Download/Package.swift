// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "Download",
  dependencies: [.package(name: "credential-vault", path: "../..")],
  targets: [
    .executableTarget(
      name: "Download",
      dependencies: [
        .product(name: "CredentialVault", package: "credential-vault"),
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        .product(name: "VaultURLSession", package: "credential-vault"),
      ])
  ]
)
