// swift-tools-version: 6.3

import PackageDescription

// The targets in StandIns have the names of the packages that they stand in for: in a package of
// your own, leave them out, and depend on those packages.
let package = Package(
  name: "Clients",
  dependencies: [.package(name: "credential-vault", path: "../..")],
  targets: [
    .executableTarget(
      name: "Clients",
      dependencies: [
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        "AsyncHTTPClient", "HTTPTypes", "OpenAPIRuntime", "Vapor",
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "NIOCore", path: "StandIns/NIOCore"),
    .target(name: "NIOHTTP1", path: "StandIns/NIOHTTP1"),
    .target(
      name: "AsyncHTTPClient", dependencies: ["NIOCore", "NIOHTTP1"],
      path: "StandIns/AsyncHTTPClient"),
    .target(name: "HTTPTypes", path: "StandIns/HTTPTypes"),
    .target(
      name: "OpenAPIRuntime", dependencies: ["HTTPTypes"], path: "StandIns/OpenAPIRuntime"),
    .target(name: "Vapor", dependencies: ["NIOCore", "NIOHTTP1"], path: "StandIns/Vapor"),
  ]
)
