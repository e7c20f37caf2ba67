import BusMessages
import VaultModel

/// Calls that wait until a locked vault is unlocked, while others are answered.
///
/// A locked vault tells nothing of its items. No answer of a search would be right, so it has none
/// until somebody has typed the passphrase, or has refused to.
extension SecretService {
  /// Returns whether a call of an object has to wait, and then keeps it and asks for the
  /// passphrase.
  ///
  /// - Throws: ``BusError`` for a search that is too large, or one call too many.
  func isHeld(_ call: BusCall, of object: ObjectPath.Object) throws(BusError) -> Bool {
    let requester: Requester
    switch (object, call.interface, call.member, call.signature) {
    case (.service, Self.interface + "Service", "SearchItems", "a{ss}"),
      (.collection, Self.interface + "Collection", "SearchItems", "a{ss}"),
      (.alias, Self.interface + "Collection", "SearchItems", "a{ss}"):
      // Before it is kept, so that what is kept is small.
      _ = try searched(call)
      requester = programs.requester(call.sender)
    case (.portal, Self.portalInterface + "Secret", "RetrieveSecret", "osha{sv}"):
      guard let application = call.arguments[1].text, !application.isEmpty else { return false }
      requester = .application(application)
    default: return false
    }
    guard try vault({ () throws(VaultError) in try !served.unlockUnasked() }) else { return false }
    let (path, lost) = try waitingCalls.add(call, of: call.sender, programs)
    if let lost { end(lost, isUnlocked: false) }
    wait(path, for: requester)
    return true
  }

  /// Answers a call that was kept and is not any more.
  func end(_ kept: ClientObjects<BusCall>.Object, isUnlocked: Bool) {
    stopWaiting(kept.path)
    let result: Result<[BusValue], BusError>
    do throws(BusError) {
      // One that is locked again meanwhile fails.
      result = .success(
        try isUnlocked
          ? answer(kept.value, canWait: false) ?? [] : Self.answer(ofCancelled: kept.value))
    } catch {
      result = .failure(error)
    }
    replies.append(BusReply(to: kept.value.number, result))
  }

  private static func answer(ofCancelled call: BusCall) throws(BusError) -> [BusValue] {
    guard call.interface == portalInterface + "Secret" else {
      throw BusError(VaultError(.locked, "the vault is locked"))
    }
    return answer(.cancelled)
  }
}
