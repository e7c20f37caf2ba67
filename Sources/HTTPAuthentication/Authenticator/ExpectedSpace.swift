public import VaultModel

/// A space or server whose challenges are answered.
public enum ExpectedSpace: Sendable, Hashable {
  /// One space; the method `default` stands for every password method.
  case space(ProtectionSpace)
  /// A server or proxy, with any realm and method.
  case server(host: HostName, port: UInt16, protocol: NetworkProtocol)

  /// Returns whether a challenge of this space is expected.
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
