import VaultModel

/// The reason why a login over a connection could not be made.
///
/// Each names its remedy in ``hint``.
public enum MechanismProblem: String, Sendable, Hashable, CaseIterable {
  /// The user has no ticket of Kerberos.
  case noTicket = "no-ticket"
  /// The password is wrong, or the keytab's keys are old.
  case wrongPassword = "wrong-password"
  /// The realm does not know the user.
  case unknownUser = "unknown-user"
  /// The user's password has expired.
  case expiredPassword = "expired-password"
  /// The user is locked out or disabled.
  case revokedUser = "revoked-user"
  /// No KDC of the realm answers.
  case unreachableKDC = "unreachable-kdc"
  /// It is not known which KDC the realm has, or which realm the user is of.
  case unknownRealm = "unknown-realm"
  /// The realm does not know the server as a service.
  case unknownService = "unknown-service"
  /// The clocks of this machine and of the KDC or the server differ too much.
  case clockSkew = "clock-skew"
  /// The library of Kerberos is not installed.
  case missingLibrary = "missing-library"
  /// The mechanism for NTLM is not installed.
  case missingMechanism = "missing-mechanism"
  /// The answer would be NTLM of version 1, which is never sent.
  case weakAnswer = "weak-answer"
  /// Anything else that the mechanism refuses.
  case failed

  /// Whether it is one of this machine, which no other password or key would mend.
  package var isOfThisMachine: Bool {
    [.missingLibrary, .missingMechanism, .weakAnswer].contains(self)
  }

  /// The event, in one line, lower case.
  public var message: String {
    switch self {
    case .noTicket: "there is no Kerberos ticket"
    case .wrongPassword: "the KDC refuses the password or key"
    case .unknownUser: "the KDC does not know the user"
    case .expiredPassword: "the password has expired"
    case .revokedUser: "the user is locked out or disabled"
    case .unreachableKDC: "no KDC answers"
    case .unknownRealm: "the Kerberos realm is not known"
    case .unknownService: "the KDC does not know the server"
    case .clockSkew: "the clocks differ too much"
    case .missingLibrary: "libgssapi_krb5.so.2 is not installed"
    case .missingMechanism: "gss-ntlmssp is not installed"
    case .weakAnswer: "the answer would be NTLM of version 1"
    case .failed: "the login failed"
    }
  }

  /// The next step, in one line, lower case.
  public var hint: String {
    switch self {
    case .noTicket: "run kinit, or store a password or a keytab with -t negotiate"
    case .wrongPassword: "store the current password or keytab"
    case .unknownUser: "store the user with its realm, as ann@EXAMPLE.COM"
    case .expiredPassword: "change the password with kpasswd, and store the new one"
    case .revokedUser: "have the realm's administrator unlock the user"
    case .unreachableKDC: "check the network, and the realm's kdc in krb5.conf"
    case .unknownRealm: "name the realm and its kdc in krb5.conf"
    case .unknownService: "set the custom attribute service-name to the server's principal"
    case .clockSkew: "set this machine's clock"
    case .missingLibrary: "install libgssapi-krb5-2"
    case .missingMechanism: "install gss-ntlmssp"
    case .weakAnswer: "unset LM_COMPAT_LEVEL"
    case .failed: "set KRB5_TRACE=/dev/stderr to see why"
    }
  }

  /// Finds the problem that a message of the library is about, in English.
  ///
  /// The codes do not tell: those of a mechanism inside SPNEGO are numbered as they come up.
  package init(message: String) {
    let text = message.lowercasedASCII
    self = Self.phrases.first { parts, _ in parts.allSatisfy { text.contains($0) } }?.1 ?? .failed
  }

  /// Parts of each message of MIT's 1.20; names stand between them.
  private static let phrases: [([String], MechanismProblem)] = [
    (["preauthentication failed"], .wrongPassword),
    (["decrypt integrity check failed"], .wrongPassword),
    (["password has expired"], .expiredPassword),
    (["credentials have been revoked"], .revokedUser),
    (["client's entry in database has expired"], .revokedUser),
    (["client", "not found in kerberos database"], .unknownUser),
    (["server", "not found in kerberos database"], .unknownService),
    (["clock skew too great"], .clockSkew),
    (["cannot contact any kdc"], .unreachableKDC),
    (["cannot find kdc"], .unknownRealm),
    (["does not specify default realm"], .unknownRealm),
    (["cannot determine realm"], .unknownRealm),
    (["no kerberos credentials"], .noTicket),
    (["credentials cache"], .noTicket),
    (["no credentials were supplied"], .noTicket),
    (["ticket expired"], .noTicket),
    (["matching credential not found"], .noTicket),
  ]
}

/// A problem, as the room throws it.
package struct LoginFailure: Error, Sendable {
  package let problem: MechanismProblem
  /// The library's own words, for a log.
  package let text: String

  package init(_ problem: MechanismProblem, _ text: String = "") {
    self.problem = problem
    self.text = text
  }
}
