import VaultTerminal

/// The program's own manual page.
enum ManualPage {
  static let help = """
    usage: vaultctl-secret-service [--idle SECONDS]
           vaultctl-secret-service --owner | --export | --man | --version | --help

    """

  static let text = #"""
    .TH VAULTCTL-SECRET-SERVICE 1 "" "vaultctl \#(ProductVersion.current)" "User Commands"
    .SH NAME
    vaultctl-secret-service \- the Secret Service of the session bus, over the credential vault
    .SH SYNOPSIS
    .B vaultctl-secret-service
    [\fB\-\-idle\fR \fISECONDS\fR]
    .br
    .B vaultctl-secret-service
    \fB\-\-owner\fR | \fB\-\-export\fR | \fB\-\-man\fR | \fB\-\-version\fR | \fB\-\-help\fR
    .SH DESCRIPTION
    Programs that use libsecret, such as secret\-tool, Python's keyring, Chromium and the helpers of
    Git and Docker for it, then keep their secrets in the vault. The session bus starts the program
    at the first call; \fBvaultctl setup secret\-service \-\-apply\fR makes it do so. It ends after
    thirty seconds without a call, unless a client has a session open or has locked the vault, or it
    holds what would be lost: session credentials that are not shared, or a passphrase that was
    typed.
    .PP
    The collection \fIlogin\fR, whose alias is \fIdefault\fR, has the permanent items of the vault.
    \fIsession\fR has those of the session that programs share, or of this process if none can be
    shared. Attributes of servers, users, Docker's registries, and services are the fields of the
    items that vaultctl, Git and Docker find; all other sets of attributes are generic passwords with
    custom attributes.
    .PP
    Attributes are read back as they were written, and replacing an item changes the one of exactly
    these attributes.
    .PP
    A locked vault is opened by a key that is found, or that \fBvaultctl unlock\fR left. Otherwise a
    client's search or prompt runs a pinentry, three attempts at most, which shows the vault and the program
    that asks. The passphrase is then remembered as the
    configuration says. Otherwise, and if that is for one use, this process alone keeps it: until
    fifteen minutes have passed without a call, eight hours at most. A search waits for the pinentry,
    for five minutes at most, and fails as locked if it is closed; other calls are answered
    meanwhile.
    .PP
    Under the same name the program is a backend of the XDG desktop portal
    (org.freedesktop.impl.portal.Secret), which gives each sandboxed application a secret of its own.
    If the vault is locked, the portal's call waits for the pinentry.
    .SH OPTIONS
    .TP
    \fB\-\-idle\fR \fISECONDS\fR
    end after this time without a call (default 30)
    .TP
    \fB\-\-owner\fR
    print the program that has the name org.freedesktop.secrets, or its name if only the superuser
    can see its file
    .TP
    \fB\-\-export\fR
    write the items of the service that has the name now, with their secrets, as an export that
    \fBvaultctl import secret\-service\fR reads; not to a terminal
    .TP
    \fB\-\-man\fR
    print this page
    .TP
    \fB\-\-version\fR
    print the program's name and version
    .TP
    \fB\-\-help\fR
    print the usage
    .SH EXIT STATUS
    0 if it ended because it was idle; 1 if another program has the name; 44 if, with
    \fB\-\-owner\fR, none has; 64 for wrong use; 69 without a session bus.
    .SH ENVIRONMENT
    .TP
    .B VAULTCTL_PINENTRY
    the program that asks for the passphrase (default pinentry)
    .TP
    .B VAULTCTL_REMEMBER
    how long the kernel remembers the key, as in vaultctl(1)
    .PP
    The vault and its key are found as vaultctl(1) says. The bus, or systemd's user manager, gives
    the program its own environment: see \fBdbus\-update\-activation\-environment\fR(1), with its
    option \fB\-\-systemd\fR.
    .SH FILES
    .TP
    .I ~/.local/share/dbus\-1/services/org.freedesktop.secrets.service
    makes the session bus start the program, as \fBvaultctl setup secret\-service\fR writes it
    .TP
    .I ~/.config/systemd/user/vaultctl\-secret\-service.service
    is started by systemd's user manager for the bus, if the bus is its service
    .TP
    .I $XDG_STATE_HOME/vaultctl/secret\-service\-*.collections
    the names, labels and aliases of the collections that programs made, for a locked vault
    .TP
    .I $XDG_RUNTIME_DIR/vaultctl
    the session that programs share
    .TP
    .I /usr/share/xdg\-desktop\-portal/portals/vaultctl.portal
    offers the program to the portal; portals.conf, or vaultctl before the desktop in
    XDG_CURRENT_DESKTOP, prefers it to another one
    .SH EXAMPLES
    .TP
    .B vaultctl setup secret\-service \-\-apply
    The session bus starts the program from the next login on.
    .TP
    .B secret\-tool store \-\-label=Mail server mail.example.com protocol imaps user ann
    Stores an item that \fBvaultctl find imaps://ann@mail.example.com\fR finds.
    .TP
    .B vaultctl\-secret\-service \-\-owner
    Prints which program has the name now.
    .SH SEE ALSO
    vaultctl(1), secret\-tool(1), dbus\-daemon(1), pinentry(1)

    """#
}
