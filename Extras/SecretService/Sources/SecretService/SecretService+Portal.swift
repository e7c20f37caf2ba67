import BusMessages
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// `org.freedesktop.impl.portal.Secret`: one stable secret for each sandboxed application, with
/// which it encrypts what it keeps itself.
///
/// Source: XDG Desktop Portal, "org.freedesktop.impl.portal.Secret".
extension SecretService {
  static let portalInterface = "org.freedesktop.impl.portal."
  static let portalService = "org.freedesktop.portal.Secret"
  private static let secretCount = 64

  func answerOfPortal(_ call: BusCall) throws(BusError) -> [BusValue] {
    // The descriptor is valid until the call is answered.
    guard call.member == "RetrieveSecret", call.signature == "osha{sv}",
      case .descriptor(let descriptor) = call.arguments[2]
    else { throw .unknownMethod }
    guard let application = call.arguments[1].text, !application.isEmpty else {
      throw .invalid("there is no application")
    }
    let secret = try vault { () throws(VaultError) in try portalSecret(of: application) }
    return Self.answer(Self.write(secret, to: descriptor) ? .success : .failed)
  }

  /// Answers a call of `org.freedesktop.impl.portal.Request`: the application does not want its
  /// secret any more.
  func answerOfPortalRequest(_ call: BusCall) throws(BusError) -> [BusValue] {
    guard call.member == "Close", call.signature.isEmpty else { throw .unknownMethod }
    let isMeant = { (waiting: BusCall) in
      waiting.interface == Self.portalInterface + "Secret"
        && waiting.arguments.first?.path == call.path
    }
    guard let waiting = waitingCalls.first(of: call.sender, where: isMeant) else {
      throw .noSuchObject
    }
    waitingCalls.remove(waiting.path)
    end(waiting, isUnlocked: false)
    return []
  }

  /// Source: XDG Desktop Portal, "org.freedesktop.portal.Request", signal `Response`.
  enum Response: UInt32 {
    case success, cancelled, failed
  }

  static func answer(_ response: Response) -> [BusValue] {
    [.status(response.rawValue), .variants([])]
  }

  private func portalSecret(of application: String) throws(VaultError) -> Secret {
    let vault = try served.unlockedVault()
    let query = ItemQuery(service: Self.portalService, account: application)
    let known = try vault.findAll(query, withSecrets: true).first {
      $0.persistence == .permanent
    }
    if let secret = known?.secret { return secret }
    let secret = Secret(random: Self.secretCount)
    var item = Item(
      service: Self.portalService, account: application, secret: secret)
    item.origin = AttributeMapping.origin
    let stored = try vault.add(item, afterAcceptance: true).item
    guard stored.persistence == .permanent else {
      // One that ends before what the application encrypts with it is worse than none.
      if stored.persistence == .session { try vault.remove(stored, removal: .permanent) }
      throw VaultError(.policyRefused, "the policy does not allow to keep the secret")
    }
    return secret
  }

  /// Writes a few bytes to a pipe that a portal has just made; one that is full is not waited for.
  private static func write(_ secret: Secret, to descriptor: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // The structure is ours; the bytes are valid during the call.
    return unsafe poll(&state, 1, 0) == 1 && state.revents & Int16(POLLOUT) != 0
      && secret.withOctets { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
  }
}
