/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of what the ZooKeeper client's result codes mean. */
#include "zk/result_code.h"

#include <criterion/criterion.h>
#include <zookeeper/zookeeper.h>

/* yfinkelstein/node-zookeeper#80: a write cut short is reported as more than connection loss. */
Test(result_code, unknown_outcome_codes)
{
    static const int unknown[] = {ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZRUNTIMEINCONSISTENCY, ZSESSIONMOVED, ZCLOSING};
    static const int known[] = {ZOK, ZNONODE, ZNODEEXISTS, ZNOAUTH, ZSESSIONEXPIRED, ZINVALIDSTATE, ZBADARGUMENTS};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        cr_assert(result_code_outcome_unknown(unknown[i]), "%d", unknown[i]);
        cr_assert_not(result_code_from_leader(unknown[i]), "%d is no sign of a living session", unknown[i]);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_assert_not(result_code_outcome_unknown(known[i]), "%d", known[i]);
    }
}

Test(result_code, what_a_follower_says_by_itself_is_no_answer_of_the_leader)
{
    cr_assert(result_code_from_leader(ZOK));
    cr_assert(result_code_from_leader(ZNONODE));
    cr_assert_not(result_code_from_leader(ZNOAUTH));
    cr_assert_not(result_code_from_leader(ZSESSIONEXPIRED));
    cr_assert_not(result_code_from_leader(ZINVALIDSTATE));
    cr_assert_not(result_code_from_leader(ZMARSHALLINGERROR));
}

Test(result_code, every_code_has_a_status_and_a_sentence)
{
    cr_assert_eq(result_code_status(ZOK), CURATOR_OK);
    cr_assert_eq(result_code_status(ZOPERATIONTIMEOUT), CURATOR_CONNECTION_LOSS);
    cr_assert_eq(result_code_status(ZINVALIDSTATE), CURATOR_SESSION_EXPIRED);
    cr_assert_eq(result_code_status(ZAUTHFAILED), CURATOR_NO_AUTH);
    cr_assert_eq(result_code_status(ZNOTEMPTY), CURATOR_ERROR);
    for (int rc = -130; rc <= 0; rc++) {
        cr_assert_not_null(result_code_text(rc));
    }
}
