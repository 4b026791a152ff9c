/* SPDX-License-Identifier: Apache-2.0 */
/* What the ZooKeeper client's result codes mean for a caller. */
#include "zk/result_code.h"

#include <zookeeper/zookeeper.h>

#define QUOTA_EXCEEDED (-125) /* which client 3.8 has no name for */

bool result_code_outcome_unknown(int rc)
{
    switch (rc) {
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZRUNTIMEINCONSISTENCY: /* a reply out of order: what the client makes of a lost reply on a living connection */
    case ZSESSIONMOVED:
    case ZCLOSING:
    case ZTHROTTLEDOP: /* certainly not carried out, but to be tried again in the same way */
        return true;
    default:
        return false;
    }
}

/* Not ZNOAUTH: with enableEagerACLCheck a follower refuses by itself, also when it is cut off from its leader. */
bool result_code_from_leader(int rc)
{
    switch (rc) {
    case ZOK:
    case ZNONODE:
    case ZNODEEXISTS:
    case ZNOTEMPTY:
    case ZBADVERSION:
    case ZNOCHILDRENFOREPHEMERALS:
        return true;
    default:
        return false;
    }
}

bool result_code_session_over(int rc)
{
    return rc == ZSESSIONEXPIRED || rc == ZAUTHFAILED || rc == ZINVALIDSTATE;
}

curator_status result_code_status(int rc)
{
    switch (rc) {
    case ZOK:
        return CURATOR_OK;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZRUNTIMEINCONSISTENCY:
    case ZSESSIONMOVED:
    case ZTHROTTLEDOP:
        return CURATOR_CONNECTION_LOSS;
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
        return CURATOR_SESSION_EXPIRED;
    case ZNOAUTH:
    case ZAUTHFAILED:
        return CURATOR_NO_AUTH;
    case ZCLOSING:
        return CURATOR_CLOSED;
    case ZMARSHALLINGERROR: /* all that can fail in marshalling here is an allocation */
        return CURATOR_NO_MEMORY;
    default:
        return CURATOR_ERROR;
    }
}

const char *result_code_text(int rc)
{
    switch (rc) {
    case ZOK:
        return "ok";
    case ZNONODE:
        return "the node does not exist";
    case ZNOAUTH:
        return "the server refused: the ACL does not permit it";
    case ZAUTHFAILED:
        return "the server refused the credentials";
    case ZNOCHILDRENFOREPHEMERALS:
        return "its parent is an ephemeral node, which may not have children";
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
        return "the session has expired";
    case ZCONNECTIONLOSS:
        return "the connection was lost";
    case ZOPERATIONTIMEOUT:
        return "the server did not answer";
    case ZINVALIDACL:
        return "the server does not accept the ACL";
    case QUOTA_EXCEEDED:
        return "the server refused: a quota is exceeded";
    case ZUNIMPLEMENTED:
        return "the server does not know the operation";
    default:
        return zerror(rc);
    }
}
