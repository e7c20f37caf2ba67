import CIDN2
public func g() -> String { unsafe String(cString: idn2_check_version(nil)) }
