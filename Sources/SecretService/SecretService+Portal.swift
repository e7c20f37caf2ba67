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

  func answerOfPortal(_ call: BusCall) throws(BusError) -> [BusValue]? {
    guard call.member == "RetrieveSecret", call.signature == "osha{sv}",
      case .descriptor(let descriptor) = call.arguments[2]
    else { throw .unknownMethod }
    guard let application = call.arguments[1].text, !application.isEmpty else {
      throw .invalid("there is no application")
    }
    let request = PortalRequest(
      call: call.number, handle: call.arguments[0].path ?? "", application: application,
      descriptor: descriptor)
    guard try vault({ () throws(VaultError) in try !served.isUnlocked() }) else {
      return try retrieve(request)
    }
    let (path, lost) = try portalRequests.add(request, of: call.sender, programs)
    if let lost { end(lost, isUnlocked: false) }
    wait(path, for: .application(application))
    return nil
  }

  /// Answers a call of `org.freedesktop.impl.portal.Request`: the application does not want its
  /// secret any more.
  func answerOfPortalRequest(_ call: BusCall) throws(BusError) -> [BusValue] {
    guard call.member == "Close", call.signature.isEmpty else { throw .unknownMethod }
    guard let request = portalRequests.first(of: call.sender, where: { $0.handle == call.path })
    else { throw .noSuchObject }
    portalRequests.remove(request.path)
    end(request, isUnlocked: false)
    return []
  }

  /// Answers a call that has waited.
  func end(_ request: ClientObjects<PortalRequest>.Object, isUnlocked: Bool) {
    let result: Result<[BusValue], BusError>
    do throws(BusError) {
      result = .success(
        try isUnlocked ? retrieve(request.value) : Self.answer(.cancelled))
    } catch {
      result = .failure(error)
    }
    replies.append(BusReply(to: request.value.call, result))
    stopWaiting(request.path)
  }

  private func retrieve(_ request: PortalRequest) throws(BusError) -> [BusValue] {
    let secret = try vault { () throws(VaultError) in try portalSecret(of: request.application) }
    return Self.answer(Self.write(secret, to: request.descriptor) ? .success : .failed)
  }

  /// Source: XDG Desktop Portal, "org.freedesktop.portal.Request", signal `Response`.
  private enum Response: UInt32 {
    case success, cancelled, failed
  }

  private static func answer(_ response: Response) -> [BusValue] {
    [.status(response.rawValue), .variants([])]
  }

  private func portalSecret(of application: String) throws(VaultError) -> Secret {
    let passwords = try served.unlockedVault().genericPasswords
    let query = GenericPasswordQuery(service: Self.portalService, account: application)
    let known = try passwords.findAll(query, secrets: true).first { $0.persistence == .permanent }
    if let secret = known?.secret { return secret }
    let secret = KeyBuffer(random: Self.secretCount).withRawBytes { Secret(copying: $0) }
    var item = GenericPassword(
      service: Self.portalService, account: application, secret: secret)
    item.origin = AttributeMapping.origin
    let stored = try passwords.add(item, isAccepted: true).item
    guard stored.persistence == .permanent else {
      // One that ends before what the application encrypts with it is worse than none.
      if stored.persistence == .session { try passwords.remove(stored, isForGood: true) }
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

/// A call for an application's secret.
struct PortalRequest {
  let call: UInt64
  /// The path by which the portal closes it.
  let handle: String
  let application: String
  /// The pipe's end to write to; valid until the call is answered.
  let descriptor: Int32
}
