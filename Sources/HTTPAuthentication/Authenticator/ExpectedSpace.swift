public import VaultModel

/// Where challenges are answered, if not everywhere.
public enum ExpectedSpace: Sendable, Hashable {
  /// One space; its method `default` stands for every password method.
  case space(ProtectionSpace)
  /// A server or proxy, whatever its realms and methods.
  case server(host: HostName, port: UInt16, protocol: NetworkProtocol)

  /// Whether a challenge of this space is expected.
  public func covers(_ space: ProtectionSpace) -> Bool {
    switch self {
    case .space(let expected):
      expected.withoutMethod == space.withoutMethod
        && (expected.authenticationMethod == space.authenticationMethod
          || (expected.authenticationMethod == .default && space.authenticationMethod.isPassword))
    case .server(let host, let port, let `protocol`):
      host == space.host && port == space.port && `protocol` == space.protocol
    }
  }
}
