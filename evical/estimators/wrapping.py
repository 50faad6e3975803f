"""What meta-estimators of one classifier share: routed arguments, weights and tags."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from evical._typing import Floats
from evical.estimators.predictions import BeliefPredictor, weightless

__all__ = ["ClassifierWrapper"]


class ClassifierWrapper(BeliefPredictor):
    """Mixin of beliefs about the predictions of one classifier, with folds `cv`."""

    estimator: Any
    cv: Any

    @abstractmethod
    def _resolved_estimator(self) -> Any:
        """The classifier, or the default one."""

    def _routed(
        self, weight: Floats | None, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments of the classifier's `fit` and of the splitter's `split`."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weight, **fit_params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        groups = fit_params.pop("groups", None)
        split_params = {} if groups is None else {"groups": groups}
        estimator = self._resolved_estimator()
        if weight is None or isinstance(estimator, FrozenEstimator):
            return fit_params, split_params
        if has_fit_parameter(estimator, "sample_weight"):
            return {**fit_params, "sample_weight": weight}, split_params
        return fit_params, split_params

    def _weightless(self) -> list[str]:
        return weightless(self._resolved_estimator())

    def get_metadata_routing(self) -> Any:
        """Where `fit` sends its metadata: the classifier and the splitter.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router = router.add(estimator=self._resolved_estimator(), method_mapping=to_fit)
        own = self.cv is None or isinstance(self.cv, int | np.integer)
        splitter = StratifiedGroupKFold() if own else self.cv  # asks for groups, as the folds do
        return router.add(splitter=splitter, method_mapping=to_split)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._resolved_estimator()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags
